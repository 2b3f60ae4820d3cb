/* Every array of a state, written once: memory, saving, reset, hash and fields all come from this table.
 *
 *     X(type, name, rows, columns, flags, field, doc)
 *
 * The array has rows * columns items; rows may use the model m and the state s. `field` is the name under which users
 * read it (sn_field; such arrays are of doubles), NULL for what they do not see; fields are listed in the order of the
 * table. Every array leads exactly one life:
 *
 *   SN_KEPT      the next step (or a field right after loading) depends on it: saved, loaded, and put back by a reset
 *   SN_MEASURED  found by sn_measure from kept arrays, after each step and after loading
 *   SN_WORK      written anew in every step before it is read
 *   SN_CONSTANT  set when the state is made, never again
 *
 * The life is a promise that tests/sim/test_state_table.c checks for each array: what is not kept is filled with
 * rubbish and must not be missed; what is kept is disturbed and must be missed. */
#ifndef SN_SIM_STATE_TABLE_H
#define SN_SIM_STATE_TABLE_H

enum {
    SN_KEPT = 1,
    SN_MEASURED = 2,
    SN_WORK = 4,
    SN_CONSTANT = 8,
    SN_LIFE = 15,     /* mask of the above */
    SN_HASHED = 16,   /* part of sn_state_hash, in the order of the table */
    SN_BORROWED = 32, /* the memory belongs to the linear system */
    SN_HINT = 64,     /* kept only so that a search takes the same way: another value may give the same result */
    SN_SHARE = 128,   /* users may write the field between steps: 0 to 1 */
    SN_LOAD = 256,    /* the same, -SN_MOST_LOAD to SN_MOST_LOAD */
    SN_WRITABLE = SN_SHARE | SN_LOAD
};

/* N or N m: a thousand times what breaks any bone; squares and sums stay far from overflow. */
#define SN_MOST_LOAD 1e9

#define SN_STATE_TABLE(X)                                                                                              \
    /* bodies: pose of the centre-of-mass frame; velocity is omega in body axes, then v in world axes */               \
    X(rigid, body, m->nbody, 1, SN_KEPT | SN_HASHED, NULL, "pose of the centre-of-mass frame")                         \
    X(double, velocity, m->nbody, 6, SN_KEPT | SN_HASHED, NULL, "omega in body axes, v in world axes")                 \
    X(double, velocity_before, m->nbody, 6, SN_WORK, NULL, "the same before the step, also of a driven body")          \
    X(rigid, body_target, m->nbody, 1, SN_KEPT, NULL, "kinematic and driven bodies: pose after the next step")         \
    X(rigid, step_from, m->nbody, 1, SN_WORK, NULL, "where the step began")                                            \
    X(rigid, piece_from, m->nbody, 1, SN_WORK, NULL, "where the piece of the step that is taken now began")            \
    X(rigid, step_to, m->nbody, 1, SN_WORK, NULL, "body_target of the whole step")                                     \
    X(rigid, ahead, m->nbody, 1, SN_WORK, NULL, "pose that rows and paths are taken at: predicted, or as it is")       \
    X(m3, ahead_turn, m->nbody, 1, SN_WORK, NULL, "rotation of that pose")                                             \
    X(uint8_t, driven, m->nbody, 1, SN_KEPT, NULL, "a free body that follows body_target exactly for now")             \
    X(double, out_position, m->nbody, 3, SN_MEASURED, "body.position", "position of each body's node, m")              \
    X(double, out_rotation, m->nbody, 4, SN_MEASURED, "body.rotation", "orientation of each body's node, w first")     \
    X(double, out_velocity, m->nbody, 3, SN_MEASURED, "body.velocity",                                                 \
      "velocity of each body's node, world axes, m/s")                                                                 \
    X(double, out_angular, m->nbody, 3, SN_MEASURED, "body.angular_velocity", "angular velocity, node axes, rad/s")    \
    X(double, force, m->nbody, 3, SN_KEPT | SN_LOAD, "body.force",                                                     \
      "external force at the centre of mass, world axes, N")                                                           \
    X(double, torque, m->nbody, 3, SN_KEPT | SN_LOAD, "body.torque", "external torque, world axes, N m")               \
    /* strands */                                                                                                      \
    X(double, point, m->npoint, 3, SN_KEPT | SN_HASHED, "strand.point", "control points of all strands, m")            \
    X(double, pointdot, m->npoint, 3, SN_KEPT | SN_HASHED, "strand.velocity", "velocities of the control points, m/s") \
    X(double, out_length, m->nstrand, 1, SN_MEASURED, "strand.length", "length of each strand, m")                     \
    X(double, out_tension, m->nstrand, 1, SN_MEASURED, "strand.tension", "mean of the reactions at both ends, N")      \
    X(double, out_origin, m->nstrand, 3, SN_MEASURED, "strand.force_origin",                                           \
      "force on what holds the origin, world axes, N")                                                                 \
    X(double, out_insertion, m->nstrand, 3, SN_MEASURED, "strand.force_insertion",                                     \
      "force on what holds the insertion, world axes, N")                                                              \
    X(int32_t, origin, m->nstrand, 1, SN_CONSTANT, NULL, "constraint that holds the first end, -1: none")              \
    X(int32_t, insertion, m->nstrand, 1, SN_CONSTANT, NULL, "constraint that holds the last end, -1: none")            \
    X(double, active, m->npoint, 3, SN_WORK, NULL, "force of activation 1, strength not included, N")                  \
    X(double, stiff_activation, m->nstrand, 1, SN_WORK, NULL, "activation at which the stiffness was taken")           \
    X(double, level, m->nstrand, 1, SN_WORK, NULL, "impulse of the step over `active`, s; 0 without a muscle")         \
    X(uint8_t, strand_dirty, m->nstrand, 1, SN_WORK, NULL, "values changed since the last factorisation")              \
    X(snWorst, worst, m->nstrand, 1, SN_MEASURED, NULL, "largest gap and number of contacts of each strand")           \
    /* path strands */                                                                                                 \
    X(double, cord_x, m->ncord, 1, SN_KEPT | SN_HINT, NULL, "stretch of the belly, to start from")                     \
    X(double, cord_tension, m->ncord, 1, SN_KEPT, NULL, "at the end of the step, N")                                   \
    X(snCordPull, cord_pull, m->ncord, 1, SN_WORK, NULL, "tension ahead and its derivatives")                          \
    X(snCordPull, cord_now, m->ncord, 1, SN_MEASURED, NULL, "the same where it is now")                                \
    X(double, cord_activation, m->ncord, 1, SN_WORK, NULL, "activation at which it was taken")                         \
    X(double, cord_length, m->ncord, 1, SN_MEASURED, NULL, "m; within a step ahead")                                   \
    X(double, cord_rate, m->ncord, 1, SN_WORK, NULL, "of the length, at the velocities before the step, m/s")          \
    X(int32_t, cord_nnode, m->ncord, 1, SN_MEASURED, NULL, "nodes it has now")                                         \
    X(snCordNode, cord_node, m->ncord_node, 1, SN_MEASURED, NULL, "where it runs; within a step ahead")                \
    X(double, cord_g, m->ncord_slot, 6, SN_WORK, NULL, "dl/dv ahead")                                                  \
    X(double, cord_sheet, sn_sheet_size(m), 1, SN_WORK, NULL, "scratch: rows of one cord")                             \
    X(double, junction_s, m->njunction_s, 1, SN_KEPT | SN_HINT, NULL,                                                  \
      "length of the trunk or place, to start from, m")                                                                \
    X(double, junction_row, m->njunction_row, 1, SN_MEASURED, NULL, "velocity of junctions; within a step ahead")      \
    /* muscles */                                                                                                      \
    X(double, activation, m->nmuscle, 1, SN_KEPT | SN_SHARE, "muscle.activation", "activation of each muscle, 0 to 1") \
    X(double, strength, m->nmuscle, 1, SN_KEPT | SN_SHARE, "muscle.strength",                                          \
      "factor on the active force of each muscle, 0 to 1")                                                             \
    X(double, chosen, m->nmuscle, 1, SN_WORK, NULL, "activations that the controller chose for the whole step")        \
    /* a tree and its line muscles */                                                                                  \
    X(double, tree_q, m->skeleton ? m->ncoord : 0, 1, SN_KEPT | SN_HASHED | SN_BORROWED, NULL,                         \
      "coordinates, rad or m")                                                                                         \
    X(double, tree_v, m->skeleton ? m->ncoord : 0, 1, SN_KEPT | SN_HASHED | SN_BORROWED, NULL, "their rates")          \
    X(double, out_line_point, sn_tree_drawn(m), 3, SN_MEASURED, "line.point", "corners of all line muscles, m")        \
    X(double, out_line_length, sn_count(m, SN_ITEM_LINE), 1, SN_MEASURED, "line.length",                               \
      "length of each line muscle, m")                                                                                 \
    X(double, out_line_tension, sn_count(m, SN_ITEM_LINE), 1, SN_MEASURED, "line.tension",                             \
      "force of each line muscle, N")                                                                                  \
    /* muscle groups */                                                                                                \
    X(double, out_volume, m->nvolume, 1, SN_MEASURED, "group.volume",                                                  \
      "volume of each group between its start and end, m^3")                                                           \
    X(double, out_area, m->nvolume, 1, SN_MEASURED, "group.area",                                                      \
      "mean cross-section of each group: volume over length, m^2")                                                     \
    X(double, out_axis, m->nvolume, 1, SN_MEASURED, "group.length",                                                    \
      "length of each group's axis between its start and end, m")                                                      \
    X(double, section, m->nstrand, 9, SN_WORK, NULL, "points, tangents and gradients of one cross-section")            \
    /* joints */                                                                                                       \
    X(double, out_coordinate, m->ncoord, 1, SN_MEASURED, "joint.coordinate", "coordinates of all joints, rad or m")    \
    X(double, joint_row, m->ncoord, 12, SN_WORK, NULL, "velocity rows of the coordinates")                             \
    /* constraints */                                                                                                  \
    X(double, out_force, m->nconstraint, 1, SN_MEASURED, "constraint.force",                                           \
      "force of each constraint; surface: push, N")                                                                    \
    X(double, out_gap, m->nconstraint, 1, SN_MEASURED, "constraint.gap",                                               \
      "error of each constraint; surface: height above it, m")                                                         \
    X(double, out_s, m->nconstraint, 1, SN_MEASURED, "constraint.position",                                            \
      "parameter on the strand of each constraint")                                                                    \
    X(double, s, m->nconstraint, 1, SN_KEPT, NULL, "parameter on the strand")                                          \
    X(int32_t, span, m->nconstraint, 1, SN_KEPT | SN_HINT, NULL, "span of that parameter")                             \
    X(int32_t, other_span, m->nconstraint, 1, SN_KEPT | SN_HINT, NULL, "the same on the other strand of a link")       \
    X(snSurfaceHint, hint, m->nconstraint, 1, SN_KEPT | SN_HINT, NULL, "where the closest point was last")             \
    X(double, eyelet_force, m->nconstraint, 3, SN_KEPT, NULL, "of a sliding constraint at the last step, N")           \
    /* rows of the linear system */                                                                                    \
    X(double, own_gap, m->pattern.nown, 1, SN_KEPT, NULL, "m")                                                         \
    X(double, link_gap, m->pattern.nlink, 1, SN_KEPT, NULL, "m")                                                       \
    X(double, joint_gap, m->pattern.njoint, 1, SN_KEPT, NULL, "m")                                                     \
    X(uint8_t, own_sided, m->pattern.nown, 1, SN_CONSTANT, NULL, "the row may only push")                              \
    X(uint8_t, joint_sided, m->pattern.njoint, 1, SN_CONSTANT, NULL, "the row may only push")                          \
    X(uint8_t, own_on, m->pattern.nown, 1, SN_KEPT | SN_BORROWED, NULL, "the row takes part")                          \
    X(uint8_t, joint_on, m->pattern.njoint, 1, SN_KEPT | SN_BORROWED, NULL, "the row takes part")                      \
    X(uint8_t, flips, m->pattern.nown + m->pattern.njoint, 1, SN_WORK, NULL, "changes of side within this step")       \
    /* vectors of the linear system */                                                                                 \
    X(double, impulse, s->size, 1, SN_WORK, NULL, "right-hand side without active forces")                             \
    X(double, rhs, s->size, 1, SN_WORK, NULL, "the same with them")                                                    \
    X(double, solution, s->size, 1, SN_KEPT, NULL, "velocities, then multipliers of the last step")                    \
    X(double, residual, s->size, 1, SN_WORK, NULL, "only looked at when a step diverges")

enum {
#define X(type, name, rows, columns, flags, field, doc) SN_ARRAY_##name,
    SN_STATE_TABLE(X)
#undef X
        SN_ARRAY_COUNT
};

#endif
