import * as z from 'zod/mini'
import { Id, requiredText } from './endpoint.ts'
import { roles } from './roles.ts'

const value = requiredText(200)
const values = z.array(value).check(z.minLength(1, 'required'), z.maxLength(100, 'too_long'))

/** One condition about a person. Text is compared without regard to upper and lower case. */
export const RuleCondition = z.discriminatedUnion('about', [
  /** A field of the organization's own, by its key. */
  z.object({
    about: z.literal('field'),
    key: z.string().check(z.maxLength(60, 'too_long')),
    is: z.enum(['one_of', 'none_of', 'contains', 'filled', 'empty', 'at_least', 'at_most']),
    values: z._default(z.array(value).check(z.maxLength(100, 'too_long')), []),
  }),
  z.object({ about: z.literal('emailDomain'), is: z.enum(['one_of', 'none_of']), values }),
  z.object({
    about: z.literal('role'),
    is: z.enum(['one_of', 'none_of']),
    values: z.array(z.enum([...roles, 'none'])).check(z.minLength(1, 'required')),
  }),
  z.object({
    about: z.literal('group'),
    is: z.enum(['one_of', 'none_of']),
    values: z.array(Id).check(z.minLength(1, 'required'), z.maxLength(100, 'too_long')),
  }),
])
export type RuleCondition = z.infer<typeof RuleCondition>

/** Who is a member of a rule group: people for whom all, or any, of the conditions hold. */
export const GroupRule = z.object({
  match: z.enum(['all', 'any']),
  conditions: z.array(RuleCondition).check(z.minLength(1, 'required'), z.maxLength(20, 'too_long')),
})
export type GroupRule = z.infer<typeof GroupRule>
