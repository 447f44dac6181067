import * as z from 'zod/mini'
import { asItComes, requiredText } from '../endpoint.ts'

export const Identifier = z.string().check(z.minLength(1, 'required'), z.maxLength(320, 'too_long'))
export const Password = z
  .string()
  .check(z.minLength(1, 'required'), z.maxLength(2_000, 'too_long'), asItComes)
/** Six digits by mail or from an app; a recovery code is longer. */
export const Code = requiredText(100)
