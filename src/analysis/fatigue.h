/* Fatigue of a muscle over time by the three-compartment model with enhanced recovery at rest, 3CC-r [Xia and Frey Law
 * 2008, Looft 2018]: motor units are active, fatigued or resting, and move between the three.
 *
 *     dMA = C - F MA,   dMF = F MA - S MF,   dMR = S MF - C,   S = r R if MA >= TL, else R
 *     C = LD min(TL - MA, MR) if MA < TL, else LR (TL - MA)
 *
 * TL is the load asked for, as a share of the strength of the rested muscle. MA + MF + MR = 1 at all times. */
#ifndef SN_ANALYSIS_FATIGUE_H
#define SN_ANALYSIS_FATIGUE_H

typedef struct snFatigueLaw {
    double fatigue, recovery; /* F and R, 1/s */
    double rest;              /* r: how many times faster recovery is at rest */
    double develop, relax;    /* LD and LR, 1/s */
} snFatigueLaw;

typedef struct snFatigue {
    double active, fatigued, resting; /* MA, MF, MR */
} snFatigue;

/* Muscles of the hand: F 0.01227/s, R 0.00134/s, r 9.1 [Rakshit 2021, unchecked: grade B]; LD = LR = 10/s. */
snFatigueLaw sn_fatigue_hand(void);
/* Rested: everything is in MR. */
snFatigue sn_fatigue_rested(void);
/* Goes on by `time` seconds under a constant load, 0 to 1. Fourth-order steps of at most 20 ms. */
void sn_fatigue_advance(const snFatigueLaw *law, snFatigue *state, double load, double time);

#endif
