import * as z from 'zod/mini'
import { mailAddress } from './addresses.ts'
import { endpoint, Instant, Nothing, only } from '../endpoint.ts'
import { DnsRecord, dkimStates, dmarcStates, spfStates } from './mail-signing.ts'
import { OrgParams } from '../directory/organizations.ts'
import { adminRoles } from '../roles.ts'

export const SenderInput = z.object({
  address: mailAddress(),
})
export type SenderInput = z.infer<typeof SenderInput>

export const SenderOfOrganization = z.object({
  /** Null: messages leave from the address of the installation. */
  sender: z.nullable(
    z.object({
      address: z.string(),
      /** False: nothing is sent until somebody has typed the code that was mailed to it. */
      isVerified: z.boolean(),
      /** Until when that code counts; null: there is none. */
      codeUntil: z.nullable(Instant),
      /** What the DNS said of its domain; a state is null where it was not asked or did not answer. */
      spf: z.object({ state: z.nullable(z.enum(spfStates)), record: DnsRecord }),
      /** `record` is null while the installation signs nothing. */
      dkim: z.object({ state: z.nullable(z.enum(dkimStates)), record: z.nullable(DnsRecord) }),
      dmarc: z.object({ state: z.nullable(z.enum(dmarcStates)), record: DnsRecord }),
      checkedAt: z.nullable(Instant),
    }),
  ),
  /** From which they leave without one. */
  usual: z.string(),
  updatedAt: Instant,
})
export type SenderOfOrganization = z.infer<typeof SenderOfOrganization>

export const readSender = endpoint({
  name: 'readSender',
  method: 'GET',
  path: '/organizations/:orgId/sender',
  summary: 'From which address the messages of the organization leave, and what the DNS says of its domain',
  access: only(adminRoles, 'settings'),
  params: OrgParams,
  reply: SenderOfOrganization,
  cacheSeconds: 2,
})

export const updateSender = endpoint({
  name: 'updateSender',
  method: 'PUT',
  path: '/organizations/:orgId/sender',
  summary: 'Send from another address: a code is mailed to it, and nothing is sent before that is typed',
  access: only(adminRoles, 'settings'),
  params: OrgParams,
  body: SenderInput,
  reply: SenderOfOrganization,
  ifMatch: true,
})

export const removeSender = endpoint({
  name: 'removeSender',
  method: 'DELETE',
  path: '/organizations/:orgId/sender',
  summary: 'Send from the address of the installation again',
  access: only(adminRoles, 'settings'),
  params: OrgParams,
  reply: SenderOfOrganization,
  ifMatch: true,
})

export const sendSenderCode = endpoint({
  name: 'sendSenderCode',
  method: 'POST',
  path: '/organizations/:orgId/sender/code',
  summary: 'Mail a new code to the address; the one before counts no more',
  access: only(adminRoles, 'settings'),
  params: OrgParams,
  body: Nothing,
  reply: SenderOfOrganization,
})

export const verifySender = endpoint({
  name: 'verifySender',
  method: 'POST',
  path: '/organizations/:orgId/sender/verify',
  summary: 'Prove by the code that somebody reads at the address: messages leave from it from then on',
  access: only(adminRoles, 'settings'),
  params: OrgParams,
  ownTransactions: true,
  body: z.object({ code: z.string().check(z.trim(), z.regex(/^\d{6}$/, 'invalid')) }),
  reply: SenderOfOrganization,
})

export const checkSender = endpoint({
  name: 'checkSender',
  method: 'POST',
  path: '/organizations/:orgId/sender/check',
  summary: 'Ask the DNS now what it says of the domain of the address',
  access: only(adminRoles, 'settings'),
  params: OrgParams,
  ownTransactions: true,
  body: Nothing,
  reply: SenderOfOrganization,
})
