// Which pages the site has and in which order a newcomer meets them. A page that is not here but in docs/ is put at the end, so none is lost.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

// [file from the root of the repository, name in the navigation]; "*" in front of a name: made by a generator.
const plan = [
    ["Start", [["README.md", "Cairn"], ["docs/tutorial-scene.md", "A scene of your own"], ["docs/tutorial-c.md", "A program in C"],
        ["docs/embed.md", "Cairn in your project"], ["docs/building.md", "Building and installing"], ["docs/faq.md", "When something goes wrong"]]],
    ["Understand", [["docs/concepts.md", "Concepts"], ["docs/certificate.md", "The certificate"], ["docs/theory.md", "Theory"],
        ["docs/sets.md", "Convex sets"], ["docs/world.md", "Bodies and steps"], ["docs/flexible.md", "Flexible parts"], ["docs/elements.md", "Finite elements"], ["docs/glossary.md", "Glossary"]]],
    ["Use", [["docs/cli.md", "The program"], ["docs/scenes.md", "Scene files"], ["docs/viewer.md", "Replay page, pictures, exports"], ["docs/gallery.md", "Gallery"],
        ["docs/formats.md", "File formats"], ["docs/methods.md", "Methods"], ["docs/which-method.md", "Which method when"], ["docs/which-element.md", "Which element, law and step"], ["docs/bench.md", "cairn bench"]]],
    ["Look up", [["*commands", "Commands"], ["*scene", "Scene keys"], ["*methods", "Method settings"], ["*c", "C interface"], ["docs/references.md", "Papers"]]],
    ["Figures", [["docs/benchmarks.md", "Overview"], ["docs/peers.md", "Against other solvers"], ["docs/engines.md", "Against engines"], ["docs/large.md", "Large piles"],
        ["docs/papers.md", "The five papers"], ["docs/t21.md", "The ADMM paper"], ["docs/mt.md", "The interior point paper"], ["docs/anitescu.md", "Convex relaxation"], ["docs/akm.md", "Primal ADMM"],
        ["docs/ac.md", "Accelerated gradients"], ["docs/profiles.md", "Where the time goes"], ["docs/linear-algebra.md", "Linear algebra"]]],
    ["Change", [["docs/architecture.md", "The shape of the code"], ["docs/vocabulary.md", "Vocabulary"], ["CONTRIBUTING.md", "Contributing"], ["docs/howto-method.md", "Add a method"],
        ["docs/howto-set.md", "Add a convex set"], ["docs/howto-joint.md", "Add a joint"], ["docs/howto-shape.md", "Add a shape"], ["CHANGELOG.md", "Changes"]]]
];

const output = file => file === "README.md" ? "index.html" : file.startsWith("*") ? `${file.slice(1)}-reference.html`
    : `${file.replace(/^docs\//, "").replace(/\.md$/, "").toLowerCase()}.html`;

// [{group, pages: [{file, name, out}]}] of what exists under root.
export function pagesOf(root) {
    const listed = new Set(plan.flatMap(([, pages]) => pages.map(([file]) => file)));
    const more = readdirSync(join(root, "docs")).filter(name => name.endsWith(".md") && !listed.has(`docs/${name}`)).sort()
        .map(name => [`docs/${name}`, name.replace(/\.md$/, "").replace(/^./, letter => letter.toUpperCase())]);
    return [...plan, ["More", more]]
        .map(([group, pages]) => ({ group, pages: pages.filter(([file]) => file.startsWith("*") || existsSync(join(root, file)))
            .map(([file, name]) => ({ file, name, out: output(file) })) }))
        .filter(({ pages }) => pages.length > 0);
}
