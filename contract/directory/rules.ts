import * as z from 'zod/mini'
import { domainOf } from '../identity/addresses.ts'
import { Id, requiredText } from '../endpoint.ts'
import { roles } from '../roles.ts'

const value = requiredText(200)

/** Written as `example.org`, `@example.org` or a whole address; measured as it is kept, which is longer where it is of another script. */
const domain = z
  .string()
  .check(z.overwrite(domainOf), z.minLength(1, 'required'), z.maxLength(253, 'too_long'))
const domains = z.array(domain).check(z.minLength(1, 'required'), z.maxLength(100, 'too_long'))

/** One condition about a person. Text is compared without regard to upper and lower case. */
export const RuleCondition = z.discriminatedUnion('about', [
  /** A field of the organization's own, by its key. */
  z.object({
    about: z.literal('field'),
    key: z.string().check(z.maxLength(60, 'too_long')),
    is: z.enum(['one_of', 'none_of', 'contains', 'filled', 'empty', 'at_least', 'at_most']),
    values: z._default(z.array(value).check(z.maxLength(100, 'too_long')), []),
  }),
  z.object({ about: z.literal('emailDomain'), is: z.enum(['one_of', 'none_of']), values: domains }),
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
