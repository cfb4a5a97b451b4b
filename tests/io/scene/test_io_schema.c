/*
 * test_io_schema.c: scenes/schema.json against the scenes that ship and against the reader: what it allows is what the reader knows. Every
 * scene that ships is also built and stepped a few times, certified.
 */
#define _POSIX_C_SOURCE 200809L

#include "io/text/json.h"
#include "support/support.h"

#include <dirent.h>

static cairn_json_document *read_document(cairn_context *context, const char *path) {
    static char text[1 << 20];
    FILE *in = fopen(path, "rb");
    CHECK(in != NULL);
    if (in == NULL)
        return NULL;
    size_t size = fread(text, 1, sizeof text, in);
    fclose(in);
    cairn_json_document *document = NULL;
    if (cairn_json_parse(context, text, size, path, &document) != CAIRN_OK)
        printf("%s\n", cairn_error_message(context));
    CHECK(document != NULL);
    return document;
}

/* ---- as much of JSON Schema as the file uses ---- */

static const cairn_json *schema_root;

static const cairn_json *follow(const cairn_json *schema) {
    const cairn_json *ref = cairn_json_member(schema, "$ref");
    if (ref == NULL)
        return schema;
    CHECK(strncmp(ref->text, "#/$defs/", 8) == 0);
    const cairn_json *found = cairn_json_member(cairn_json_member(schema_root, "$defs"), ref->text + 8);
    CHECK(found != NULL);
    return found != NULL ? follow(found) : schema;
}

static bool fits(const cairn_json *schema, const cairn_json *v, char *where, size_t size);

static bool bad(const cairn_json *v, const char *what, char *where, size_t size) {
    char path[200];
    cairn_json_path(v, path, sizeof path);
    snprintf(where, size, "%d: %s: %s", v->line, path, what);
    return false;
}

static bool has_type(const char *type, const cairn_json *v) {
    return strcmp(type, "object") == 0    ? v->kind == CAIRN_JSON_OBJECT
           : strcmp(type, "array") == 0   ? v->kind == CAIRN_JSON_ARRAY
           : strcmp(type, "string") == 0  ? v->kind == CAIRN_JSON_STRING
           : strcmp(type, "number") == 0  ? v->kind == CAIRN_JSON_NUMBER
           : strcmp(type, "integer") == 0 ? v->kind == CAIRN_JSON_NUMBER && v->number == floor(v->number)
           : strcmp(type, "boolean") == 0 ? v->kind == CAIRN_JSON_BOOL
                                          : false;
}

static bool count_fits(const cairn_json *schema, const char *least, const char *most, int count) {
    const cairn_json *low = cairn_json_member(schema, least), *high = cairn_json_member(schema, most);
    return (low == NULL || count >= (int)low->number) && (high == NULL || count <= (int)high->number);
}

static bool object_fits(const cairn_json *schema, const cairn_json *v, char *where, size_t size) {
    const cairn_json *known = cairn_json_member(schema, "properties"),
                     *other = cairn_json_member(schema, "additionalProperties");
    const cairn_json *required = cairn_json_member(schema, "required");
    for (const cairn_json *r = required != NULL ? required->first : NULL; r != NULL; r = r->next)
        if (cairn_json_member(v, r->text) == NULL)
            return bad(v, r->text, where, size);
    if (!count_fits(schema, "minProperties", "maxProperties", v->count))
        return bad(v, "number of members", where, size);
    for (const cairn_json *m = v->first; m != NULL; m = m->next) {
        const cairn_json *own = known != NULL ? cairn_json_member(known, m->key) : NULL;
        if (own == NULL && other != NULL && other->kind == CAIRN_JSON_BOOL && other->number == 0.0)
            return bad(m, "unknown key", where, size);
        own = own == NULL && other != NULL && other->kind == CAIRN_JSON_OBJECT ? other : own;
        if (own != NULL && !fits(own, m, where, size))
            return false;
    }
    return true;
}

static bool number_fits(const cairn_json *schema, double x) {
    const cairn_json *least = cairn_json_member(schema, "minimum"), *most = cairn_json_member(schema, "maximum");
    const cairn_json *above = cairn_json_member(schema, "exclusiveMinimum");
    const cairn_json *below = cairn_json_member(schema, "exclusiveMaximum");
    return (least == NULL || x >= least->number) && (most == NULL || x <= most->number) &&
           (above == NULL || x > above->number) && (below == NULL || x < below->number);
}

/* anyOf and not. */
static bool logic_fits(const cairn_json *schema, const cairn_json *v) {
    const cairn_json *any = cairn_json_member(schema, "anyOf"), *not = cairn_json_member(schema, "not");
    char inner[300];
    bool found = any == NULL;
    for (const cairn_json *c = any != NULL ? any->first : NULL; c != NULL; c = c->next)
        found = found || fits(c, v, inner, sizeof inner);
    return found && (not == NULL || !fits(not, v, inner, sizeof inner));
}

static bool fits(const cairn_json *schema, const cairn_json *v, char *where, size_t size) {
    schema = follow(schema);
    const cairn_json *type = cairn_json_member(schema, "type"), *word = cairn_json_member(schema, "enum");
    const cairn_json *one = cairn_json_member(schema, "oneOf"), *items = cairn_json_member(schema, "items");
    const cairn_json *pattern = cairn_json_member(schema, "pattern");
    if (type != NULL && !has_type(type->text, v))
        return bad(v, type->text, where, size);
    if (v->kind == CAIRN_JSON_NUMBER && !number_fits(schema, v->number))
        return bad(v, "out of range", where, size);
    if (!logic_fits(schema, v))
        return bad(v, "anyOf or not", where, size);
    bool found = word == NULL;
    for (const cairn_json *w = word != NULL ? word->first : NULL; w != NULL; w = w->next)
        found = found || (v->kind == CAIRN_JSON_STRING && strcmp(w->text, v->text) == 0);
    if (!found)
        return bad(v, "none of the words", where, size);
    if (pattern != NULL && (strcmp(pattern->text, "^=") != 0 || v->text[0] != '='))
        return bad(v, "pattern", where, size);
    if (one != NULL) {
        int count = 0;
        char inner[300] = "", kept[300] = "";
        for (const cairn_json *c = one->first; c != NULL; c = c->next) {
            if (fits(c, v, inner, sizeof inner))
                count++;
            else if (strlen(inner) > strlen(kept))
                memcpy(kept, inner, sizeof kept);
        }
        if (count != 1)
            return bad(v, kept[0] != '\0' ? kept : "more than one fits", where, size);
    }
    if (v->kind == CAIRN_JSON_ARRAY && !count_fits(schema, "minItems", "maxItems", v->count))
        return bad(v, "number of items", where, size);
    for (const cairn_json *c = v->kind == CAIRN_JSON_ARRAY && items != NULL ? v->first : NULL; c != NULL; c = c->next)
        if (!fits(items, c, where, size))
            return false;
    return v->kind != CAIRN_JSON_OBJECT || object_fits(schema, v, where, size);
}

/* ---- the scenes that ship ---- */

static cairn_json_document *read_schema(cairn_context *context) {
    cairn_json_document *schema = read_document(context, CAIRN_SOURCE_DIR "/scenes/schema.json");
    schema_root = schema != NULL ? cairn_json_root(schema) : NULL;
    return schema;
}

/* Calls visit(context, path) for every scene; returns how many there are. */
static int each_scene(cairn_context *context, void (*visit)(cairn_context *, const char *)) {
    DIR *folder = opendir(CAIRN_SOURCE_DIR "/scenes");
    int count = 0;
    CHECK(folder != NULL);
    for (struct dirent *e = folder != NULL ? readdir(folder) : NULL; e != NULL; e = readdir(folder)) {
        size_t length = strlen(e->d_name);
        char path[1000];
        if (length < 5 || strcmp(e->d_name + length - 5, ".json") != 0 || strcmp(e->d_name, "schema.json") == 0)
            continue;
        snprintf(path, sizeof path, CAIRN_SOURCE_DIR "/scenes/%s", e->d_name);
        visit(context, path);
        count++;
    }
    closedir(folder);
    return count;
}

static void check_schema(cairn_context *context, const char *path) {
    char where[600] = "";
    cairn_json_document *document = read_document(context, path);
    if (document == NULL)
        return;
    bool fine = fits(schema_root, cairn_json_root(document), where, sizeof where);
    if (!fine)
        printf("%s:%s\n", path, where);
    CHECK(fine);
    const cairn_json *root = cairn_json_root(document);
    CHECK(cairn_json_member(root, "title") != NULL && cairn_json_member(root, "comment") != NULL);
    cairn_json_destroy(document);
}

static void check_run(cairn_context *context, const char *path) {
    cairn_scene *scene = NULL;
    cairn_status status = cairn_scene_load(context, path, NULL, 0, &scene);
    if (status != CAIRN_OK)
        printf("%s\n", cairn_error_message(context));
    CHECK(status == CAIRN_OK);
    for (int i = 0; i < 3 && status == CAIRN_OK; i++) {
        cairn_step_report report;
        status = cairn_scene_step(scene, &report);
        CHECK(status == CAIRN_OK && report.certified);
        if (status == CAIRN_OK && !report.certified)
            printf("%s: step %d is not certified: %g m/s, %g rad/s\n", path, i + 1, report.info.certificate.error,
                   report.info.certificate.error_angular);
    }
    cairn_scene_destroy(scene);
}

TEST(scenes_fit_the_schema) {
    cairn_context *context = plain_context(1);
    cairn_json_document *schema = read_schema(context);
    CHECK(each_scene(context, check_schema) >= 20);
    cairn_json_destroy(schema);
    cairn_context_destroy(context);
}

TEST(scenes_run) {
    cairn_context *context = plain_context(2);
    CHECK(each_scene(context, check_run) >= 20);
    cairn_context_destroy(context);
}

/* The schema sees mistakes. */
TEST(schema_refuses) {
    static const char *const wrong[] = {
        "{\"bodys\": []}",
        "{\"step\": \"fast\"}",
        "{\"law\": \"colomb\"}",
        "{\"gravity\": [0, 0]}",
        "{\"bodies\": [{\"shape\": {\"sphere\": {}}}]}",
        "{\"bodies\": [{\"shape\": {\"sphere\": {\"radius\": 1}, \"plane\": {}}}]}",
        "{\"bodies\": [{\"shape\": {\"hull\": {\"points\": [[0, 0, 0]], \"file\": \"x\"}}}]}",
        "{\"joints\": [{\"a\": \"x\"}]}",
        "{\"joints\": [{\"kind\": \"gears\"}]}",
        "{\"pairs\": [{\"materials\": [\"a\"]}]}",
        "{\"step\": 0}",
        "{\"until\": -1}",
        "{\"tolerance\": 1}",
        "{\"substeps\": 0}",
        "{\"substeps\": 1.5}",
        "{\"materials\": {\"m\": {\"restitution\": 1.5}}}",
        "{\"materials\": {\"m\": {\"friction\": -0.1}}}",
        "{\"materials\": {\"m\": {\"cap\": -1}}}",
        "{\"flexible\": [{\"mesh\": {\"box\": {\"edge\": [1, 1, 1], \"cells\": [1, 1, 1], \"tetrahedra\": 7}}}]}",
        "{\"bodies\": [{\"shape\": {\"sphere\": {\"radius\": 0}}}]}",
        "{\"bodies\": [{\"shape\": {\"box\": {\"size\": [1, -1, 1]}}}]}",
        "{\"bodies\": [{\"shape\": {\"sphere\": {\"radius\": 1}}, \"mass\": 1, \"density\": 1}]}",
        "{\"bodies\": [{\"shape\": {\"sphere\": {\"radius\": 1}}, \"axis\": [0, 0, 1], \"rotation\": [1, 0, 0, 0], "
        "\"mass\": 1, "
        "\"density\": 1}]}",
        "{\"bodies\": [{\"shape\": {\"sphere\": {\"radius\": 1}}, \"repeat\": {\"stack\": {\"count\": -1, \"spacing\": "
        "1}}}]}",
        "{\"bodies\": [{\"shape\": {\"compound\": {\"children\": []}}}]}",
        "{\"bodies\": [{\"shape\": {\"mesh\": {\"points\": [[0, 0, 0]], \"triangles\": [[0, 1, 1.5]]}}}]}",
        "{\"bodies\": [{\"name\": \"b\", \"mass\": 1, \"inertia\": [1, 1, 1]}], \"joints\": [{\"kind\": \"prismatic\", "
        "\"b\": "
        "\"b\", \"coordinate\": \"slide\", \"motion\": []}]}",
        "{\"bodies\": [{\"name\": \"b\", \"mass\": 1, \"inertia\": [1, 1, 1]}], \"joints\": [{\"kind\": \"prismatic\", "
        "\"b\": "
        "\"b\", \"coordinate\": \"slide\", \"motor\": {\"limit\": -1}}]}",
        "{\"flexible\": [{\"mesh\": {}}]}",
        "{\"flexible\": [{\"mesh\": {\"sphere\": {\"radius\": 1, \"cells\": 0}}}]}"};
    cairn_context *context = plain_context(1);
    cairn_json_document *schema = read_schema(context);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cairn_json_document *document = NULL;
        char where[600];
        CHECK(cairn_json_parse(context, wrong[i], strlen(wrong[i]), "x", &document) == CAIRN_OK);
        bool fine = fits(schema_root, cairn_json_root(document), where, sizeof where);
        if (fine)
            printf("%s\n", wrong[i]);
        CHECK(!fine);
        cairn_json_destroy(document);
        cairn_scene *scene = NULL; /* what the schema refuses the reader refuses too */
        CHECK(cairn_scene_parse(context, wrong[i], strlen(wrong[i]), "x", NULL, 0, &scene) != CAIRN_OK);
        cairn_scene_destroy(scene);
    }
    cairn_json_destroy(schema);
    cairn_context_destroy(context);
}

/* ---- the reader's keys ---- */

static const cairn_json *at(const cairn_json *v, const char *path) {
    char text[200];
    snprintf(text, sizeof text, "%s", path);
    for (char *key = strtok(text, "/"); key != NULL && v != NULL; key = strtok(NULL, "/")) {
        v = strcmp(key, "#") == 0 ? (v->first != NULL ? v->first : NULL) : cairn_json_member(v, key);
        v = v != NULL && v->kind == CAIRN_JSON_OBJECT ? follow(v) : v;
    }
    return v;
}

/* The reader lists the keys that it knows when it meets one that it does not: the same as the schema's. */
TEST(reader_and_schema_know_the_same_keys) {
    static const struct {
        const char *text, *schema; /* # is the first item */
    } place[] = {
        {"{\"zzzz\": 1}", "properties"},
        {"{\"bodies\": [{\"zzzz\": 1}]}", "properties/bodies/items/properties"},
        {"{\"joints\": [{\"zzzz\": 1}]}", "properties/joints/items/properties"},
        {"{\"materials\": {\"m\": {\"zzzz\": 1}}}", "properties/materials/additionalProperties/properties"},
        {"{\"pairs\": [{\"zzzz\": 1}]}", "properties/pairs/items/properties"},
        {"{\"bodies\": [{\"shape\": {\"zzzz\": 1}}]}", "shape:properties"},
        {"{\"bodies\": [{\"shape\": {\"sphere\": {\"zzzz\": 1}}}]}", "shape:properties/sphere/properties"},
        {"{\"bodies\": [{\"shape\": {\"box\": {\"zzzz\": 1}}}]}", "shape:properties/box/properties"},
        {"{\"bodies\": [{\"shape\": {\"capsule\": {\"zzzz\": 1}}}]}", "shape:properties/capsule/properties"},
        {"{\"bodies\": [{\"shape\": {\"cylinder\": {\"zzzz\": 1}}}]}", "shape:properties/cylinder/properties"},
        {"{\"bodies\": [{\"shape\": {\"cone\": {\"zzzz\": 1}}}]}", "shape:properties/cone/properties"},
        {"{\"bodies\": [{\"shape\": {\"hull\": {\"zzzz\": 1}}}]}", "shape:properties/hull/properties"},
        {"{\"bodies\": [{\"shape\": {\"mesh\": {\"zzzz\": 1}}}]}", "shape:properties/mesh/properties"},
        {"{\"bodies\": [{\"shape\": {\"pieces\": {\"zzzz\": 1}}}]}", "shape:properties/pieces/properties"},
        {"{\"bodies\": [{\"shape\": {\"compound\": {\"zzzz\": 1}}}]}", "shape:properties/compound/properties"},
        {"{\"bodies\": [{\"repeat\": {\"zzzz\": 1}}]}", "$defs/repeat/properties"},
        {"{\"bodies\": [{\"repeat\": {\"grid\": {\"zzzz\": 1}}}]}", "$defs/repeat/properties/grid/properties"},
        {"{\"bodies\": [{\"repeat\": {\"stack\": {\"zzzz\": 1}}}]}", "$defs/repeat/properties/stack/properties"},
        {"{\"bodies\": [{\"repeat\": {\"ring\": {\"zzzz\": 1}}}]}", "$defs/repeat/properties/ring/properties"},
        {"{\"bodies\": [{\"repeat\": {\"random\": {\"zzzz\": 1}}}]}", "$defs/repeat/properties/random/properties"},
        {"{\"bodies\": [{\"name\": \"b\", \"mass\": 1, \"inertia\": [1, 1, 1]}], \"joints\": [{\"kind\": \"fixed\", "
         "\"motor\": {\"zzzz\": 1}}]}",
         "properties/joints/items/properties/motor/properties"},
        {"{\"bodies\": [{\"name\": \"b\", \"mass\": 1, \"inertia\": [1, 1, 1]}], \"joints\": [{\"kind\": \"fixed\", "
         "\"spring\": {\"zzzz\": 1}}]}",
         "properties/joints/items/properties/spring/properties"},
    };
    cairn_context *context = plain_context(1);
    cairn_json_document *schema = read_schema(context);
    for (size_t i = 0; i < sizeof place / sizeof *place; i++) {
        cairn_scene *scene = NULL;
        CHECK(cairn_scene_parse(context, place[i].text, strlen(place[i].text), "x", NULL, 0, &scene) ==
              CAIRN_ERROR_PARSE);
        const char *list = strstr(cairn_error_message(context), "nown here: ");
        CHECK(list != NULL);
        const cairn_json *keys = strncmp(place[i].schema, "shape:", 6) == 0
                                     ? at(cairn_json_member(at(schema_root, "$defs/shape"), "oneOf")->first->next,
                                          place[i].schema + 6)
                                     : at(schema_root, place[i].schema);
        CHECK(keys != NULL);
        if (list == NULL || keys == NULL)
            continue;
        char copy[400];
        int count = 0;
        snprintf(copy, sizeof copy, "%s", list + 11);
        for (char *key = strtok(copy, ", "); key != NULL; key = strtok(NULL, ", ")) {
            count++;
            if (cairn_json_member(keys, key) == NULL)
                printf("the schema does not know '%s' of %s\n", key, place[i].text);
            CHECK(cairn_json_member(keys, key) != NULL);
        }
        if (count != keys->count)
            printf("%s: the reader knows %d keys, the schema %d\n", place[i].text, count, keys->count);
        CHECK(count == keys->count);
    }
    cairn_json_destroy(schema);
    cairn_context_destroy(context);
}

int main(void) {
    RUN(scenes_fit_the_schema);
    RUN(schema_refuses);
    RUN(reader_and_schema_know_the_same_keys);
    RUN(scenes_run);
    return test_end();
}
