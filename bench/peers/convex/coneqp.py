"""CVXOPT's coneqp on a program written by side_cvxopt.c: coneqp.py PROGRAM ANSWER TOLERANCE."""
import sys
import time
from array import array

from cvxopt import matrix, solvers, spmatrix


def main(program, answer, tolerance):
    with open(program, "rb") as file:

        def take(kind, count):
            numbers = array(kind)
            numbers.fromfile(file, count)
            return list(numbers)

        variables, rows, equalities, cones, *entries = take("i", 7)
        sizes = take("i", cones)

        def sparse(count, height):
            row, col, value = take("i", count), take("i", count), take("d", count)
            return spmatrix(value, row, col, (height, variables))

        P, G, A = sparse(entries[0], variables), sparse(entries[1], rows), sparse(entries[2], equalities)
        q, h, b = (matrix(take("d", count), (count, 1), "d") for count in (variables, rows, equalities))

    solvers.options.update(show_progress=False, abstol=tolerance, reltol=tolerance, feastol=tolerance, maxiters=200)
    joints = {"A": A, "b": b} if equalities else {}
    begin = time.process_time()
    found = solvers.coneqp(P, q, G, h, {"l": 0, "q": sizes, "s": []}, **joints)
    seconds = time.process_time() - begin
    numbers = array("d", [0.0 if found["status"] == "optimal" else 1.0, found["iterations"], seconds])
    for part, count in (("x", variables), ("z", rows), ("y", equalities)):
        numbers.extend(found[part] if count else [])
    with open(answer, "wb") as file:
        numbers.tofile(file)


main(sys.argv[1], sys.argv[2], float(sys.argv[3]))
