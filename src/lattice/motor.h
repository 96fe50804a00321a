// Motors of a lattice: see motor.c.
#ifndef DV_LATTICE_MOTOR_H
#define DV_LATTICE_MOTOR_H

#include "lattice/lattice.h"

// Adds the forces of all motors to the outer forces; x and v are those of the moment. They turn on by h.
void dv_motors_push(dvLattice *l, const void *const x[3], const void *const v[3], double h);
void dv_motors_add(dvLattice *l, const dvLatticeMotor *motor);   // takes its lists over
void dv_motors_free(dvLattice *l);

#endif
