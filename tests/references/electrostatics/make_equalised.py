"""Prints charges by electronegativity equalisation (QEq) for equalise_test.cpp, from the formulas alone.

Rappe and Goddard, J. Phys. Chem. 95, 3358 (1991): chi_i + sum_j J_ij q_j is equal for all atoms. J_ij between s-type Slater densities is
integrated in reciprocal space, 2/pi int f_i f_j sin(kR)/(kR) dk, where the program integrates in real space. pip install numpy
"""
import numpy as np

EV, BOHR = 27.211386245988, 0.529177210903
#          chi,    J (eV),  R (angstrom), n
TABLE = {"H": (4.5280, 13.8904, None, 1), "C": (5.343, 10.126, 0.759, 2), "N": (6.899, 11.760, 0.715, 2),
         "O": (8.741, 13.364, 0.669, 2), "F": (10.874, 14.948, 0.706, 2), "Na": (2.843, 4.592, 2.085, 3),
         "P": (5.463, 8.000, 1.102, 3), "S": (6.928, 8.972, 1.047, 3), "Cl": (8.564, 9.892, 0.994, 3)}
ZETA_H = 1.0698
K, W = np.polynomial.legendre.leggauss(4000)
K, W = 40 * (K + 1), 40 * W  # 0 to 80 / bohr


def form_factor(symbol, charge):
    n = TABLE[symbol][3]
    zeta = ZETA_H + charge if symbol == "H" else 0.4913 * (2 * n + 1) / (2 * TABLE[symbol][2] / BOHR)
    a = 2 * zeta
    return a**(2 * n + 1) / (2 * n * K) * np.sin(2 * n * np.arctan(K / a)) / (a * a + K * K)**n


def charges(atoms, total=0.0):
    symbols = [s for s, *_ in atoms]
    places = np.array([p for _, *p in atoms], float) / BOHR
    q = np.zeros(len(atoms))
    for _ in range(200):
        f = [form_factor(s, c) for s, c in zip(symbols, q)]
        m = len(atoms)
        matrix, right = np.ones((m + 1, m + 1)), np.zeros(m + 1)
        matrix[m, m] = 0
        for i in range(m):
            hardness = TABLE[symbols[i]][1] / EV
            matrix[i, i] = hardness * (1 + q[i] / ZETA_H) if symbols[i] == "H" else hardness
            right[i] = -TABLE[symbols[i]][0] / EV
            for j in range(i):
                x = K * np.linalg.norm(places[i] - places[j])
                matrix[i, j] = matrix[j, i] = 2 / np.pi * np.sum(W * f[i] * f[j] * np.sin(x) / x)
        right[m] = total
        new = np.linalg.solve(matrix, right)[:m]
        if np.abs(new - q).max() < 1e-12:
            break
        q = 0.5 * (q + new)
    return new


WATER = [("O", 0, 0, 0), ("H", 0.9572, 0, 0), ("H", -0.23999, 0.92663, 0)]
METHANE = [("C", 0, 0, 0)] + [("H", *(0.6285 * np.array(v))) for v in [(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)]]
CASES = {
    "water": (WATER, 0),
    "methane": (METHANE, 0),
    "HF": ([("F", 0, 0, 0), ("H", 0.9168, 0, 0)], 0),
    "NaCl": ([("Na", 0, 0, 0), ("Cl", 2.3609, 0, 0)], 0),
    "dihydrogen phosphate": ([("P", 0, 0, 0), ("O", 1.0, 0.9, 0.6), ("O", -1.0, -0.9, 0.6), ("O", 0.9, -1.0, -0.8),
                              ("O", -0.9, 1.0, -0.8), ("H", 1.75, -0.6, -1.3), ("H", -1.75, 0.6, -1.3)], -1),
}
if __name__ == "__main__":
    for name, (atoms, total) in CASES.items():
        print(name, np.round(charges(atoms, total), 6))
