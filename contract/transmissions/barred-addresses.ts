import * as z from 'zod/mini'
import { mailAddress } from '../identity/addresses.ts'
import { BulkPreview, selectionBy } from '../directory/bulk.ts'
import {
  asItComes,
  endpoint,
  FileReply,
  Id,
  Instant,
  only,
  page,
  PageQuery,
  requiredText,
} from '../endpoint.ts'
import { FileFormat } from '../platform/file-formats.ts'
import { Operation } from '../operations.ts'
import { OrgParams, SearchText } from '../directory/organizations.ts'
import { adminRoles } from '../roles.ts'

const Address = mailAddress()

/** A reason has no signs that no reader sees, and no half of a character. */
const isReadable = /^[^\p{Cc}\p{Cs}]*$/u
const Reason = requiredText(200).check(z.regex(isReadable, 'invalid'))

/** It is barred through this day where the organization is; the day lies ahead. */
const Day = z.iso
  .date({ error: 'invalid_date', abort: true })
  .check(z.refine((day) => day < '9000', 'invalid_date'))

/** An address is barred for one of these reasons, wherever that was reported. */
export const barReasons = ['no_such_mailbox', 'complained', 'unsubscribed'] as const
export type BarReason = (typeof barReasons)[number]

/**
 * `address` is what is known of an address. `person` is what the person wants who is written to there; it goes with them to another
 * address.
 */
export const barKinds = ['address', 'person'] as const
export type BarKind = (typeof barKinds)[number]

export const BarredAddress = z.object({
  id: Id,
  address: z.string(),
  kind: z.enum(barKinds),
  /** This is one of `barReasons`, else the words of whoever barred it. */
  reason: z.string(),
  /** This person barred it; null means the product itself. */
  by: z.nullable(z.string()),
  since: Instant,
  /** Null means until it is lifted. */
  until: z.nullable(Instant),
})
export type BarredAddress = z.infer<typeof BarredAddress>

/** `other` means in the words of a person. `day` means barred on it, where the organization is. */
export const BarredFilter = z.strictObject({
  q: SearchText,
  reason: z.optional(z.enum([...barReasons, 'other'])),
  day: z.optional(Day),
})
export type BarredFilter = z.infer<typeof BarredFilter>

export const listBarredAddresses = endpoint({
  name: 'listBarredAddresses',
  method: 'GET',
  path: '/organizations/:orgId/barred-addresses',
  summary: 'Addresses to which no message of the organization is sent, newest first',
  access: only(adminRoles, 'evidence:read'),
  params: OrgParams,
  query: z.extend(PageQuery, BarredFilter.shape),
  reply: page(BarredAddress),
  cacheSeconds: 2,
})

export const exportBarredAddresses = endpoint({
  name: 'exportBarredAddresses',
  method: 'GET',
  path: '/organizations/:orgId/barred-addresses/export',
  summary: 'The barred addresses that the search and the filters find, newest first, as a file',
  access: only(adminRoles, 'evidence:read'),
  params: OrgParams,
  query: z.object({ ...BarredFilter.shape, format: FileFormat }),
  ownTransactions: true,
  reply: FileReply,
})

export const barAddress = endpoint({
  name: 'barAddress',
  method: 'POST',
  path: '/organizations/:orgId/barred-addresses',
  summary: 'Send no message of the organization to an address, until somebody lifts it or through a day',
  access: only(adminRoles, 'send'),
  params: OrgParams,
  body: z.object({
    address: Address,
    reason: Reason,
    /** Null or left out, it holds until it is lifted. */
    until: z.optional(z.nullable(Day)),
  }),
  reply: BarredAddress,
  status: 201,
  idempotent: true,
})

/** A list that is barred at once may hold this number of addresses. */
export const mostInList = 5_000

/** These can be wrong with one of a list. */
export const listedProblems = ['invalid_email', 'too_long', 'invalid', 'invalid_date', 'not_ahead'] as const
export type ListedProblem = (typeof listedProblems)[number]

const Listed = z.object({
  address: Address,
  /** Left out or empty, it says that the address came with a list. */
  reason: z.optional(
    z.string().check(z.trim(), z.maxLength(200, 'too_long'), z.regex(isReadable, 'invalid')),
  ),
  until: z.optional(z.nullable(Day)),
})
export type Listed = z.infer<typeof Listed>

/** Returns one of a list as it is barred, or the first thing that is wrong with it. An empty address is none. */
export function readListed(given: z.input<typeof Listed>): Listed | ListedProblem {
  const { data, error } = Listed.safeParse(given)
  if (data) return data
  const said = error.issues.map(({ message }) => listedProblems.find((one) => one === message))
  return said.find((one) => one !== undefined) ?? 'invalid'
}

const text = (most: number) => z.string().check(z.maxLength(most, 'too_long'), asItComes)

export const importBarredAddresses = endpoint({
  name: 'importBarredAddresses',
  method: 'POST',
  path: '/organizations/:orgId/barred-addresses/import',
  summary: 'Bar the addresses of a list, each once; those that are barred already stay as they are',
  access: only(adminRoles, 'send'),
  params: OrgParams,
  body: z.object({
    /** The answer says what is wrong with one of them, and the others are barred all the same. */
    addresses: z
      .array(
        z.strictObject({
          address: text(500),
          reason: z.optional(text(500)),
          until: z.optional(z.nullable(text(50))),
        }),
      )
      .check(z.minLength(1, 'required'), z.maxLength(mostInList, 'too_long')),
  }),
  bodyBytes: 4_000_000,
  reply: z.object({
    added: z.number(),
    /** This number was barred before. */
    already: z.number(),
    /** `line` is the place in the list, from 1. */
    refused: z.array(z.object({ line: z.number(), problem: z.enum(listedProblems) })),
  }),
  idempotent: true,
})

export const liftBar = endpoint({
  name: 'liftBar',
  method: 'POST',
  path: '/organizations/:orgId/barred-addresses/lift',
  summary: 'Let messages of the organization go to an address again',
  access: only(adminRoles, 'send'),
  params: OrgParams,
  body: z.object({
    address: Address,
    /** Left out, it means what is known of the address, else what its person wants. The other stays. */
    kind: z.optional(z.enum(barKinds)),
  }),
  reply: z.object({
    /** False means that it was not barred. */
    lifted: z.boolean(),
  }),
})

export const BarredSelection = selectionBy(BarredFilter)
export type BarredSelection = z.infer<typeof BarredSelection>

const BarredBulk = z.object({
  selection: BarredSelection,
  do: z.strictObject({ action: z.literal('lift') }),
})

export const changeBarredAddresses = endpoint({
  name: 'changeBarredAddresses',
  method: 'POST',
  path: '/organizations/:orgId/barred-addresses/bulk',
  summary: 'Let messages of the organization go to many addresses again',
  access: only(adminRoles, 'send'),
  params: OrgParams,
  body: BarredBulk,
  reply: Operation,
  status: 202,
  idempotent: true,
})

export const previewBarredAddresses = endpoint({
  name: 'previewBarredAddresses',
  method: 'POST',
  path: '/organizations/:orgId/barred-addresses/bulk/preview',
  summary: 'How many of the bars would be lifted',
  access: only(adminRoles, 'send'),
  params: OrgParams,
  body: BarredBulk,
  reply: BulkPreview,
})
