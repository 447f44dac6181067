import { bytes, createdAt, id, instant, updatedAt } from '../columns.ts'
import {
  bigint,
  boolean,
  check,
  doublePrecision,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  sql,
  text,
  unique,
  uniqueIndex,
  uuid,
  type SQL,
} from '../drizzle.ts'
import { videos, videoVersions } from './content.ts'
import { organizations } from './people.ts'
import { mailEncryptions } from '#contract/mail-server.ts'
import { holdSigns } from '#contract/sending.ts'
import { transmissionReasons } from '#contract/transmission-reasons.ts'
import { approvalStates, deliveryStates, transmissionStates, type Audience } from '#contract/transmissions.ts'

/** Place of a state in the order in which transmissions go through them; written out, so that an index can have it. */
export function transmissionRank(column: string): SQL {
  const states = transmissionStates.map((state) => `'${state}'`).join(', ')
  return sql.raw(`(array_position(array[${states}]::text[], ${column})::float8)`)
}

export const transmissions = pgTable(
  'transmissions',
  {
    id: id(),
    organizationId: uuid()
      .notNull()
      .references(() => organizations.id),
    state: text({ enum: transmissionStates }).notNull(),
    /** Raised by every transition; a guarded UPDATE compares it. */
    version: integer().notNull().default(1),
    contentRev: integer().notNull().default(1),
    subject: text().notNull(),
    body: text().notNull(),
    videoId: uuid().notNull(),
    versionId: uuid().notNull(),
    senderId: uuid().notNull(),
    /** As it was when sent; a superadmin is outside the tenant's sight. */
    senderName: text().notNull(),
    audience: jsonb().$type<Audience>().notNull(),
    /** Last user id that was put into the ledger; null before the first chunk. */
    prepareCursor: uuid(),
    preparedAt: instant(),
    audienceTotal: bigint({ mode: 'number' }).notNull().default(0),
    deliveryPolicy: text({ enum: ['at_most_once', 'at_least_once'] })
      .notNull()
      .default('at_most_once'),
    stateReason: text({ enum: transmissionReasons }),
    scheduledAt: instant(),
    completedAt: instant(),
    /** By when its recipients are asked to have watched; null: no such day. */
    dueAt: instant(),
    /** When its personal links end; null: they do not. */
    linksEndAt: instant(),
    /** What the search looks through: the subject and how the message begins. */
    search: text().generatedAlwaysAs(sql`fold_text(subject || ' ' || left(body, 200))`),
    createdAt: createdAt(),
    /** When it was let go: sent, approved, or released although its time had passed; null: not yet. */
    releasedAt: instant(),
    /** The day that it belongs to, in lists and in reports: of its release, and until then of its writing. */
    datedAt: instant()
      .notNull()
      .generatedAlwaysAs(sql`coalesce(released_at, created_at)`),
    updatedAt: updatedAt(),
  },
  (t) => [
    unique('transmissions_tenant').on(t.organizationId, t.id),
    foreignKey({
      name: 'transmissions_video',
      columns: [t.organizationId, t.videoId],
      foreignColumns: [videos.organizationId, videos.id],
    }),
    foreignKey({
      name: 'transmissions_version',
      columns: [t.organizationId, t.versionId],
      foreignColumns: [videoVersions.organizationId, videoVersions.id],
    }),
    index('transmissions_newest').on(t.organizationId, sql`${t.datedAt} desc`, sql`${t.id} desc`),
    index('transmissions_by_subject').on(t.organizationId, sql`lower(${t.subject})`, t.id),
    index('transmissions_by_recipients').on(t.organizationId, sql`(${t.audienceTotal}::float8)`, t.id),
    index('transmissions_by_state').on(t.organizationId, transmissionRank('state'), t.id),
    index('transmissions_open_by_video')
      .on(t.videoId)
      .where(sql`state in ('pending_approval', 'scheduled', 'held', 'preparing', 'sending', 'paused')`),
    index('transmissions_by_video').on(t.organizationId, t.videoId),
    index('transmissions_search').using('gin', t.organizationId, sql`${t.search} gin_trgm_ops`),
    index('transmissions_slips').using('gin', t.organizationId, sql`slip_keys(fold_text(${t.subject}))`),
    index('transmissions_beginning').on(t.organizationId, sql`left(${t.search}, 100) text_pattern_ops`),
    index('transmissions_beginning_anywhere').on(sql`left(${t.search}, 100) text_pattern_ops`),
    index('transmissions_active')
      .on(t.state)
      .where(sql`state in ('scheduled', 'preparing', 'sending')`),
  ],
)

/** Every approval that was asked for, and what became of it: of one content and one audience. Rows are never removed. */
export const transmissionApprovals = pgTable(
  'transmission_approvals',
  {
    id: id(),
    organizationId: uuid().notNull(),
    transmissionId: uuid().notNull(),
    state: text({ enum: approvalStates }).notNull().default('waiting'),
    contentRev: integer().notNull(),
    /** SHA-256 of the audience and of the rules of its groups. */
    audienceHash: text().notNull(),
    askedBy: uuid().notNull(),
    askedAt: instant().notNull().defaultNow(),
    askedFor: integer().notNull(),
    decidedBy: uuid(),
    /** As it was then; a superadmin is outside the tenant's sight. */
    decidedByName: text(),
    decidedAt: instant(),
    decidedFor: integer(),
    reason: text(),
  },
  (t) => [
    foreignKey({
      name: 'transmission_approvals_transmission',
      columns: [t.organizationId, t.transmissionId],
      foreignColumns: [transmissions.organizationId, transmissions.id],
    }),
    uniqueIndex('transmission_approvals_waiting')
      .on(t.transmissionId)
      .where(sql`state = 'waiting'`),
    index('transmission_approvals_newest').on(t.transmissionId, sql`${t.id} desc`),
    check('transmission_approvals_decided', sql`state in ('waiting', 'withdrawn') or decided_by is not null`),
    check('transmission_approvals_by_another', sql`decided_by <> asked_by`),
  ],
)

/** The ledger. Partitioned by hash of the transmission; its states always sum to the audience. */
export const deliveries = pgTable(
  'deliveries',
  {
    id: uuid()
      .notNull()
      .default(sql`uuidv7()`),
    transmissionId: uuid().notNull(),
    organizationId: uuid().notNull(),
    userId: uuid().notNull(),
    channel: text({ enum: ['email'] })
      .notNull()
      .default('email'),
    address: text().notNull(),
    contentRev: integer().notNull().default(1),
    state: text({ enum: deliveryStates }).notNull(),
    /** Why it was skipped, rejected or deferred. */
    reason: text(),
    attempt: integer().notNull().default(0),
    dueAt: instant().notNull().defaultNow(),
    leaseToken: uuid(),
    leaseUntil: instant(),
    /** Set and committed before the last byte of a hand-over: from here on only the receiver knows. */
    handedAt: instant(),
    providerRef: text(),
    lastCode: integer(),
    /** SHA-256 of the secret in the personal link. */
    linkHash: bytes(),
    /** The link was taken back, and why, for whoever opens it. */
    linkRevokedAt: instant(),
    linkRevokedReason: text(),
    acceptedAt: instant(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    primaryKey({ columns: [t.transmissionId, t.id] }),
    // The person first, so that it also finds what somebody was sent.
    uniqueIndex('deliveries_once_per_user').on(t.userId, t.transmissionId, t.channel),
    uniqueIndex('deliveries_once_per_address')
      .on(t.transmissionId, t.address)
      .where(sql`state <> 'skipped'`),
    foreignKey({
      name: 'deliveries_transmission',
      columns: [t.organizationId, t.transmissionId],
      foreignColumns: [transmissions.organizationId, transmissions.id],
    }),
    index('deliveries_due')
      .on(t.transmissionId, t.dueAt, t.id)
      .where(sql`state in ('queued', 'deferred')`),
    // With the id, so that a batch finds its own rows and never walks through those that the same worker held before.
    index('deliveries_leased')
      .on(t.leaseToken, t.id)
      .where(sql`state = 'sending'`),
    index('deliveries_by_link').on(t.linkHash),
    // Empty where there is a mail server.
    index('deliveries_resting')
      .on(t.transmissionId)
      .where(sql`state = 'accepted' and provider_ref = 'outbox'`),
  ],
)

/** Append-only history of every try. */
export const deliveryAttempts = pgTable(
  'delivery_attempts',
  {
    deliveryId: uuid().notNull(),
    n: integer().notNull(),
    organizationId: uuid().notNull(),
    transmissionId: uuid().notNull(),
    startedAt: createdAt(),
    handedAt: instant(),
    endedAt: instant(),
    outcome: text(),
    code: integer(),
    response: text(),
  },
  (t) => [
    primaryKey({ columns: [t.deliveryId, t.n] }),
    index('delivery_attempts_newest').on(t.transmissionId, sql`${t.endedAt} desc`),
  ],
)

/** Kept by triggers on the ledger, so that the states sum to the audience whoever writes. */
export const transmissionCounts = pgTable(
  'transmission_counts',
  {
    transmissionId: uuid().notNull(),
    organizationId: uuid().notNull(),
    state: text({ enum: deliveryStates }).notNull(),
    n: bigint({ mode: 'number' }).notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.transmissionId, t.state] }),
    index('transmission_counts_open')
      .on(t.transmissionId)
      .where(sql`state in ('queued', 'deferred') and n > 0`),
  ],
)

/** Token bucket of one mail lane; without an organization it is the installation's. */
export const sendLanes = pgTable('send_lanes', {
  id: text().primaryKey(),
  /** Mails per second. */
  rate: doublePrecision().notNull(),
  /** Up to here the rate climbs again after a throttling. */
  ceiling: doublePrecision().notNull().default(1000),
  burst: doublePrecision().notNull(),
  tokens: doublePrecision().notNull(),
  refilledAt: createdAt(),
  backoffUntil: instant(),
  /** Tries in a row in which the mail server itself was the obstacle, and since when; none while it answers. */
  failures: integer().notNull().default(0),
  failingSince: instant(),
  state: text({ enum: ['open', 'closed'] })
    .notNull()
    .default('open'),
})

/** One row: how this database knows the folder and the machine that belong to it, and whether sending is held because it does not. */
export const sendingGuard = pgTable(
  'sending_guard',
  {
    id: boolean().primaryKey().default(true),
    /** Raised before each batch; a file of this name in DATA_DIR says the same. */
    batch: bigint({ mode: 'number' }).notNull().default(0),
    /** What a copy of that file cannot keep; null: the next batch writes it down. */
    marker: text(),
    /** The last word of the sender. */
    spokeAt: instant().notNull().defaultNow(),
    heldAt: instant(),
    signs: text({ enum: holdSigns }).array(),
    /** What a superadmin said; `restored` stays until no delivery is open any more. */
    answer: text({ enum: ['restored'] }),
  },
  () => [
    check('sending_guard_one', sql`id`),
    check('sending_guard_answer', sql`answer is null or (answer = 'restored' and held_at is not null)`),
  ],
)

export const suppressions = pgTable(
  'suppressions',
  {
    id: id(),
    organizationId: uuid().notNull(),
    address: text().notNull(),
    reason: text().notNull(),
    createdBy: uuid(),
    createdAt: createdAt(),
    expiresAt: instant(),
  },
  (t) => [uniqueIndex('suppressions_address').on(t.organizationId, t.address)],
)

/** The mail server that a superadmin has set in the console; one row. The configuration of the installation wins over it. */
export const mailServer = pgTable(
  'mail_server',
  {
    id: integer().primaryKey().default(1),
    host: text().notNull(),
    port: integer().notNull(),
    encryption: text({ enum: mailEncryptions }).notNull(),
    /** The name by which it is logged in to; null: no login. */
    login: text(),
    passwordSealed: bytes(),
    senderName: text().notNull(),
    senderAddress: text().notNull(),
    updatedAt: updatedAt(),
  },
  (t) => [
    check('mail_server_single', sql`${t.id} = 1`),
    check('mail_server_encryption', sql`${t.encryption} in ('starttls', 'tls', 'none')`),
  ],
)

/** Mails that are not deliveries (codes, notices), and the outbox when no mail server is configured. */
export const mails = pgTable(
  'mails',
  {
    id: id(),
    organizationId: uuid(),
    /** Set for the mail of a delivery in the outbox; makes the hand-over idempotent. */
    deliveryId: uuid().unique(),
    address: text().notNull(),
    subject: text().notNull(),
    text: text().notNull(),
    html: text(),
    /** Beside those that every mail has. */
    headers: jsonb().$type<Record<string, string>>(),
    /** `resting`: in the outbox for good; the others belong to a mail server. */
    state: text({ enum: ['resting', 'queued', 'sending', 'sent', 'failed'] }).notNull(),
    attempt: integer().notNull().default(0),
    lastError: text(),
    dueAt: instant().notNull().defaultNow(),
    createdAt: createdAt(),
    sentAt: instant(),
  },
  (t) => [
    index('mails_failed')
      .on(t.organizationId, t.createdAt)
      .where(sql`state = 'failed'`),
    index('mails_newest').on(sql`${t.id} desc`),
    index('mails_due')
      .on(t.dueAt)
      .where(sql`state = 'queued'`),
  ],
)

/** Files of a mail, in its order; they go when the mail has left or is given up. */
export const mailAttachments = pgTable(
  'mail_attachments',
  {
    mailId: uuid()
      .notNull()
      .references(() => mails.id, { onDelete: 'cascade' }),
    position: integer().notNull(),
    organizationId: uuid(),
    name: text().notNull(),
    type: text().notNull(),
    content: bytes().notNull(),
  },
  (t) => [primaryKey({ columns: [t.mailId, t.position] })],
)
