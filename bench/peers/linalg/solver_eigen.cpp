/*
 * solver_eigen.cpp: Eigen's SimplicialLDLT (AMD) and SparseLU (COLAMD, with pivoting), the choices of Chrono.
 */
#include "solvers.h"

#ifdef PEER_EIGEN
#include <Eigen/Sparse>

namespace {

using Matrix = Eigen::SparseMatrix<double>;

template <class Solver> struct State {
    Solver solver;
    Matrix matrix;
};

template <class Solver> void *analyze(const linear_system *a) {
    auto *s = new State<Solver>;
    s->matrix = Eigen::Map<const Matrix>(a->A.rows, a->A.cols, a->A.start[a->A.cols], a->A.start, a->A.index,
                                         a->A.value);
    s->solver.analyzePattern(s->matrix);
    return s;
}

template <class Solver> bool factor(void *data, const linear_system *) {
    auto *s = static_cast<State<Solver> *>(data);
    s->solver.factorize(s->matrix);
    return s->solver.info() == Eigen::Success;
}

template <class Solver> bool solve(void *data, const double *b, double *x) {
    auto *s = static_cast<State<Solver> *>(data);
    Eigen::Map<Eigen::VectorXd>(x, s->matrix.rows()) = s->solver.solve(
        Eigen::Map<const Eigen::VectorXd>(b, s->matrix.rows()));
    return s->solver.info() == Eigen::Success;
}

using Ldlt = Eigen::SimplicialLDLT<Matrix, Eigen::Lower, Eigen::AMDOrdering<int>>;
using Lu = Eigen::SparseLU<Matrix, Eigen::COLAMDOrdering<int>>;

double entries_ldlt(void *data) {
    return static_cast<double>(static_cast<State<Ldlt> *>(data)->solver.matrixL().nestedExpression().nonZeros());
}

double entries_lu(void *data) {
    const auto &solver = static_cast<State<Lu> *>(data)->solver;
    return static_cast<double>(solver.nnzL()) + static_cast<double>(solver.nnzU());
}

} // namespace

#define CONTESTANT(S, E) analyze<S>, factor<S>, solve<S>, E
#else
#define CONTESTANT(S, E) nullptr, nullptr, nullptr, nullptr
#endif

extern "C" {
extern const linear_solver solver_eigen_ldlt = {"eigen-ldlt", "Eigen SimplicialLDLT, AMD",
                                                CONTESTANT(Ldlt, entries_ldlt)};
extern const linear_solver solver_eigen_lu = {"eigen-lu", "Eigen SparseLU, COLAMD", CONTESTANT(Lu, entries_lu)};
}
