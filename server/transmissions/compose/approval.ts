import * as z from 'zod/mini'
import { approvalMargin } from '#contract/transmissions/approvals.ts'
import type { Approvers } from '#contract/transmissions/transmissions.ts'
import { asSystem, row, rows, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { markDone, notify } from '../../notifications/notify.ts'
import { called } from '../../platform/db/search.ts'
import { isActive } from '../../people.ts'

type Key = { id: string; organizationId: string }

const ThresholdRow = z.object({ above: z.nullable(z.number()) })

/**
 * Reads the policy of the organization, as the number of recipients beyond which somebody has to approve; null means that nobody has to
 * approve anything.
 */
export async function thresholdOf(tx: Tx, organizationId: string): Promise<number | null> {
  const found = await row(
    tx,
    ThresholdRow,
    sql`select (policies->>'approvalThreshold')::int as above from organizations where id = ${organizationId}`,
  )
  return found?.above ?? null
}

/** This number of people beyond an approval is still covered by it. */
export const spare = (approvedFor: number) => Math.floor(approvedFor * approvalMargin)

const Approver = z.object({ id: z.string(), name: z.string(), isSuperadmin: z.boolean() })
type Approver = z.infer<typeof Approver>

/** Finds everybody who may decide about what `authorId` sends. */
async function findApprovers(tx: Tx, organizationId: string, authorId: string): Promise<Approver[]> {
  return asSystem(tx, () =>
    rows(
      tx,
      Approver,
      sql`select id, name, role = 'superadmin' as "isSuperadmin" from users u
        where (role = 'admin' and organization_id = ${organizationId} or role = 'superadmin' and organization_id is null)
          and ${isActive('u')} and deleted_at is null and id <> ${authorId} order by ${called(sql`name`)}, id`,
    ),
  )
}

const mostNames = 5

export async function approversOf(tx: Tx, organizationId: string, authorId: string): Promise<Approvers> {
  const all = await findApprovers(tx, organizationId, authorId)
  const admins = all.filter((one) => !one.isSuperadmin)
  return {
    admins: admins.length,
    names: admins.slice(0, mostNames).map(({ name }) => name),
    superadmins: all.length - admins.length,
  }
}

/** This expression gives a fingerprint of whom `transmissions t` is for: the choice itself and the rules of its groups. */
const audienceHash = sql`encode(sha256(convert_to(t.audience::text || coalesce((
  select string_agg(g.id::text || g.rule::text, ',' order by g.id) from groups g
  where g.organization_id = t.organization_id and g.kind = 'rule' and g.deleted_at is null
    and g.id::text in (select jsonb_array_elements_text(coalesce(t.audience->'groupIds', '[]')
      || coalesce(t.audience->'exceptGroupIds', '[]')))), ''), 'UTF8')), 'hex')`

type Asking = { recipients: number; reason?: 'audience_grown' | 'audience_changed' }

const PendingApproval = z.object({ id: z.string(), authorId: z.string() })

/** Asks for an approval of the transmission as it is now, and tells everybody who can give it. */
export async function askForApproval(tx: Tx, key: Key, { recipients, reason }: Asking): Promise<void> {
  const asked = await row(
    tx,
    PendingApproval,
    sql`insert into transmission_approvals (organization_id, transmission_id, content_rev, audience_hash, asked_by, asked_for)
      select t.organization_id, t.id, t.content_rev, ${audienceHash}, t.sender_id, ${recipients} from transmissions t
      where t.id = ${key.id} and t.organization_id = ${key.organizationId} returning id, asked_by as "authorId"`,
  )
  if (!asked) throw new Error(`transmission ${key.id} is gone`)
  const approvers = await findApprovers(tx, key.organizationId, asked.authorId)
  await notify(
    tx,
    approvers.map(({ id }) => ({
      organizationId: key.organizationId,
      userId: id,
      kind: 'transmission.approval_wanted',
      entityId: key.id,
      cause: asked.id,
      asAdmin: true,
      params: { total: recipients, ...(reason ? { reason } : {}) },
    })),
  )
}

type Verdict =
  | { state: 'withdrawn' }
  | { state: 'approved'; by: { userId: string; name: string }; recipients: number }
  | { state: 'rejected'; by: { userId: string; name: string }; reason: string }

/** Ends the approval that is waited for, and returns whether there was one. The author hears of it, unless it was they themselves. */
export async function closeApproval(tx: Tx, key: Key, verdict: Verdict): Promise<boolean> {
  const { state } = verdict
  const by = state === 'withdrawn' ? null : verdict.by
  const closed = await row(
    tx,
    PendingApproval,
    sql`update transmission_approvals a set state = ${state}, decided_by = ${by?.userId ?? null}, decided_by_name = ${by?.name ?? null},
        decided_at = now(), decided_for = ${state === 'approved' ? verdict.recipients : null}::int,
        reason = ${state === 'rejected' ? verdict.reason : null}::text, audience_hash = ${audienceHash}
      from transmissions t where t.id = a.transmission_id and t.organization_id = a.organization_id
        and a.transmission_id = ${key.id} and a.organization_id = ${key.organizationId} and a.state = 'waiting'
      returning a.id, a.asked_by as "authorId"`,
  )
  if (!closed) return false
  await markDone(tx, 'transmission.approval_wanted', key.id)
  if (state !== 'withdrawn')
    await notify(tx, [
      {
        organizationId: key.organizationId,
        userId: closed.authorId,
        kind: `transmission.${state}`,
        entityId: key.id,
        cause: closed.id,
        params: state === 'approved' ? { total: verdict.recipients } : {},
      },
    ])
  return true
}

const ApprovalCover = z.object({
  recipients: z.number(),
  approvedFor: z.nullable(z.number()),
  isSame: z.nullable(z.boolean()),
  newcomers: z.nullable(z.number()),
})
type ApprovalCover = z.infer<typeof ApprovalCover>

/**
 * Says why a list of recipients that has just been made goes beyond what was approved; null means that it does not. It asks the ledger
 * itself, so that nobody can come in between the question and the sending.
 */
export async function beyondApproval(
  tx: Tx,
  key: Key,
): Promise<{ recipients: number; reason: 'audience_grown' | 'audience_changed' } | null> {
  const above = await thresholdOf(tx, key.organizationId)
  if (above === null) return null
  const found = await row(
    tx,
    ApprovalCover,
    sql`with t as materialized (select * from transmissions where id = ${key.id} and organization_id = ${key.organizationId}),
      a as materialized (select a.* from transmission_approvals a join t on t.id = a.transmission_id
        where a.state = 'approved' and a.content_rev = t.content_rev order by a.id desc limit 1),
      chosen as materialized (select jsonb_array_elements_text(audience->'userIds')::uuid as id from t),
      via as materialized (select jsonb_array_elements_text(audience->'groupIds')::uuid as id from t),
      newcomers as (select count(*)::int as n from deliveries d, t, a
        where d.transmission_id = ${key.id} and d.state = 'queued' and d.user_id not in (select id from chosen)
          and not case when (t.audience->>'everyone')::boolean or t.follows_id is not null
            then exists (select 1 from users u where u.id = d.user_id and u.created_at <= a.decided_at)
            else exists (select 1 from group_members m where m.user_id = d.user_id and m.created_at <= a.decided_at
              and m.group_id in (select id from via)) end)
      select coalesce((select n from transmission_counts where transmission_id = t.id and state = 'queued'), 0)::int as recipients,
        a.decided_for as "approvedFor", a.audience_hash = ${audienceHash} as "isSame", (select n from newcomers) as newcomers
      from t left join a on true`,
  )
  if (!found || found.recipients <= above) return null
  const { recipients, approvedFor, isSame, newcomers } = found
  if (approvedFor === null) return { recipients, reason: 'audience_grown' }
  if (!isSame) return { recipients, reason: 'audience_changed' }
  const room = spare(approvedFor)
  const isMore = recipients > approvedFor + room || (newcomers ?? 0) > room
  return isMore ? { recipients, reason: 'audience_grown' } : null
}
