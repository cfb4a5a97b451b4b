/*
 * engine_bullet.cpp: Bullet. Compiled twice: in single precision, which is its own default, and in double.
 *
 * Nothing sleeps. A plane is a large box: Bullet's plane shape is worse under boxes, and slower under many balls because its bounds have no end.
 * Pairs are found by its sweep along the axes, which is faster here than its tree, whose margin of 5 cm is a ball's radius.
 * Friction of a pair is the product of both, so each body gets the root.
 */
#include "engine.h"

#include <btBulletDynamicsCommon.h>
#include <BulletDynamics/ConstraintSolver/btNNCGConstraintSolver.h>
#include <BulletDynamics/MLCPSolvers/btDantzigSolver.h>
#include <BulletDynamics/MLCPSolvers/btLemkeSolver.h>
#include <BulletDynamics/MLCPSolvers/btMLCPSolver.h>

#include <memory>
#include <vector>

namespace {

enum code { SI_10, SI_100, SI_100_TWO, NNCG_1000, LEMKE, DANTZIG };

btVector3 vector_of(cairn_vec3 a) {
    return btVector3(btScalar(a.x), btScalar(a.y), btScalar(a.z));
}

btTransform frame_of(const cairn_pose &p) {
    return btTransform(
        btQuaternion(btScalar(p.rotation.x), btScalar(p.rotation.y), btScalar(p.rotation.z), btScalar(p.rotation.w)),
        vector_of(p.position));
}

/* Members are destroyed from the last to the first. */
struct bullet_run {
    double step;
    btDefaultCollisionConfiguration configuration;
    std::unique_ptr<btCollisionDispatcher> dispatcher;
    std::unique_ptr<btBroadphaseInterface> broad;
    std::unique_ptr<btMLCPSolverInterface> lcp;
    std::unique_ptr<btConstraintSolver> solver;
    std::vector<std::unique_ptr<btCollisionShape>> shapes;
    std::vector<std::unique_ptr<btRigidBody>> bodies;
    std::vector<std::unique_ptr<btTypedConstraint>> joints;
    std::unique_ptr<btDiscreteDynamicsWorld> world;
};

void choose_solver(bullet_run *run, int code) {
    switch (code) {
    case NNCG_1000: run->solver = std::make_unique<btNNCGConstraintSolver>(); break;
    case LEMKE: run->lcp = std::make_unique<btLemkeSolver>(); break;
    case DANTZIG: run->lcp = std::make_unique<btDantzigSolver>(); break;
    default: run->solver = std::make_unique<btSequentialImpulseConstraintSolver>();
    }
    if (run->lcp)
        run->solver = std::make_unique<btMLCPSolver>(run->lcp.get());
}

void set_options(bullet_run *run, int code) {
    btContactSolverInfo &info = run->world->getSolverInfo();
    if (code == SI_100 || code == SI_100_TWO)
        info.m_numIterations = 100;
    if (code == NNCG_1000)
        info.m_numIterations = 1000;
    if (code == SI_100_TWO || code == NNCG_1000)
        info.m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
    if (run->lcp)
        info.m_minimumSolverBatchSize = 1;
}

std::unique_ptr<btCollisionShape> shape_of(const setting &s, const setting_body &b) {
    switch (b.shape) {
    case SETTING_BOX: return std::make_unique<btBoxShape>(vector_of(b.half));
    case SETTING_SPHERE: return std::make_unique<btSphereShape>(btScalar(b.half.x));
    case SETTING_HULL: {
        auto hull = std::make_unique<btConvexHullShape>();
        hull->setMargin(0);
        for (const cairn_vec3 &p : s.hull)
            hull->addPoint(vector_of(p), false);
        hull->recalcLocalAabb();
        hull->initializePolyhedralFeatures();
        return hull;
    }
    case SETTING_PLANE:
        return std::make_unique<btBoxShape>(btVector3(btScalar(s.reach), btScalar(s.reach), btScalar(0.1 * s.reach)));
    default: return std::make_unique<btEmptyShape>();
    }
}

void add_body(bullet_run *run, const setting &s, const setting_body &b) {
    run->shapes.push_back(shape_of(s, b));
    btRigidBody::btRigidBodyConstructionInfo info(btScalar(b.mass), nullptr, run->shapes.back().get(), vector_of(b.inertia));
    info.m_startWorldTransform = frame_of(b.pose);
    if (b.shape == SETTING_PLANE)
        info.m_startWorldTransform =
            info.m_startWorldTransform * btTransform(btQuaternion::getIdentity(), btVector3(0, 0, btScalar(-0.1 * s.reach)));
    info.m_friction = btScalar(sqrt(s.mu));
    run->bodies.push_back(std::make_unique<btRigidBody>(info));
    btRigidBody *body = run->bodies.back().get();
    body->setActivationState(DISABLE_DEACTIVATION);
    if (b.shape == SETTING_NONE)
        run->world->addRigidBody(body, 0, 0);
    else
        run->world->addRigidBody(body);
}

void add_joint(bullet_run *run, const setting &s, const setting_joint &j) {
    btRigidBody *b = run->bodies[size_t(j.b)].get();
    btVector3 on_b = b->getWorldTransform().inverse() * vector_of(j.point);
    if (j.a < 0)
        run->joints.push_back(std::make_unique<btPoint2PointConstraint>(*b, on_b));
    else {
        btRigidBody *a = run->bodies[size_t(j.a)].get();
        btVector3 on_a = a->getWorldTransform().inverse() * vector_of(j.point);
        run->joints.push_back(std::make_unique<btPoint2PointConstraint>(*a, *b, on_a, on_b));
    }
    (void)s;
    run->world->addConstraint(run->joints.back().get(), true);
}

void *create(const engine *e, const setting *s) {
    bullet_run *run = new bullet_run;
    run->step = s->step;
    run->dispatcher = std::make_unique<btCollisionDispatcher>(&run->configuration);
    choose_solver(run, e->code);
    btScalar r = btScalar(2 * s->reach);
    run->broad = std::make_unique<bt32BitAxisSweep3>(btVector3(-r, -r, -r), btVector3(r, r, r), unsigned(s->bodies) + 100);
    run->world = std::make_unique<btDiscreteDynamicsWorld>(run->dispatcher.get(), run->broad.get(), run->solver.get(),
                                                           &run->configuration);
    run->world->setGravity(btVector3(0, 0, btScalar(-9.81)));
    set_options(run, e->code);
    for (int i = 0; i < s->bodies; i++)
        add_body(run, *s, s->body[i]);
    for (int i = 0; i < s->joints; i++)
        add_joint(run, *s, s->joint[i]);
    return run;
}

bool step(void *data) {
    bullet_run *run = static_cast<bullet_run *>(data);
    run->world->stepSimulation(btScalar(run->step), 0);
    return true;
}

void pose(void *data, int body, cairn_pose *out) {
    const btTransform &t = static_cast<bullet_run *>(data)->bodies[size_t(body)]->getWorldTransform();
    btVector3 p = t.getOrigin();
    btQuaternion q = t.getRotation();
    out->position = cairn_vec3_of(p.x(), p.y(), p.z());
    out->rotation.w = q.w();
    out->rotation.x = q.x();
    out->rotation.y = q.y();
    out->rotation.z = q.z();
}

void word(void *data, engine_word *out) {
    btDispatcher *d = static_cast<bullet_run *>(data)->dispatcher.get();
    for (int i = 0; i < d->getNumManifolds(); i++)
        out->contacts += d->getManifoldByIndexInternal(i)->getNumContacts();
    out->certified = -1;
}

#ifdef BT_USE_DOUBLE_PRECISION
#define NAME(x) "Bullet double " x
const char *const words = "Bullet 3.24, double precision";
#define MANY ""
#else
#define NAME(x) "Bullet " x
const char *const words = "Bullet 3.24, single precision";
#define MANY " wall granular "
#endif

const engine table[] = {
    {NAME("SI 10"),  " stack tower incline arch chain " MANY, SI_10, create, step, pose, word},
    {NAME("SI 100"),  " stack tower incline arch chain granular " MANY, SI_100, create, step, pose, word},
    {NAME("SI 100, 2 directions"),  " stack tower incline arch " MANY, SI_100_TWO, create, step, pose, word},
    {NAME("NNCG 1000"),  " stack tower arch chain ", NNCG_1000, create, step, pose, word},
    {NAME("Lemke"),  " stack tower incline ", LEMKE, create, step, pose, word},
    {NAME("Dantzig"),  " stack tower incline chain ", DANTZIG, create, step, pose, word},
};

} /* namespace */

extern "C" const engine *engine_table(int *count, const char **out) {
    *count = int(sizeof table / sizeof *table);
    *out = words;
    return table;
}
