import { bytes, createdAt, id, instant, updatedAt } from '../columns.ts'
import { invitationStates } from '#contract/invitations.ts'
import { roles } from '#contract/roles.ts'
import type { SystemSecurity } from '#contract/security.ts'
import {
  bigint,
  boolean,
  check,
  index,
  inet,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  sql,
  text,
  uniqueIndex,
  uuid,
} from '../drizzle.ts'
import { organizations, users } from './people.ts'

export const endReasons = [
  'signed_out',
  'by_owner',
  'by_admin',
  'role_changed',
  'disabled',
  'removed',
  'password_changed',
  'factor_reset',
  'too_many',
] as const

/** Opaque bearer tokens; only their SHA-256 is kept. */
export const sessions = pgTable(
  'sessions',
  {
    id: id(),
    userId: uuid()
      .notNull()
      .references(() => users.id),
    tokenHash: bytes().notNull(),
    createdAt: createdAt(),
    lastSeenAt: createdAt(),
    idleExpiresAt: instant().notNull(),
    expiresAt: instant().notNull(),
    reauthenticatedAt: instant(),
    lockedAt: instant(),
    /** How the person proved who they are (RFC 8176 names: pwd, otp, hwk, rcv, email). */
    amr: text()
      .array()
      .notNull()
      .default(sql`'{}'`),
    /** Kept for days on the wish of its owner, who has a second factor. */
    remembered: boolean().notNull().default(false),
    /** A superadmin looks through the eyes of this person until then, and may change nothing. */
    viewingAs: uuid().references(() => users.id),
    viewingUntil: instant(),
    viewingReason: text(),
    revokedAt: instant(),
    revokedBy: uuid(),
    /** Why it ended before its time. */
    endReason: text({ enum: endReasons }),
    /** Truncated to /24 or /48. */
    ipPrefix: inet(),
    userAgent: text(),
  },
  (t) => [
    uniqueIndex('sessions_token').on(t.tokenHash),
    index('sessions_by_user').on(t.userId),
    index('sessions_viewing')
      .on(t.viewingAs)
      .where(sql`viewing_as is not null`),
  ],
)

/** What a flow is for; a token of one purpose is worth nothing for another. */
export const flowPurposes = [
  'reset_password',
  'confirm_email',
  'login',
  'step_up',
  'delete_account',
  /** The password was right, the second factor is still to come. */
  'second_step',
  /** The policy asks for a second factor, and the sign-in waits for one to be set up. */
  'enroll',
  /** A passkey was asked for without anybody having said who they are. */
  'passkey',
  /** Somebody signed in proves with a passkey that they are still the one who asks. */
  'reauthenticate',
  'own_data',
] as const

/** A started step (reset a password, confirm an address), bound to whoever asked for it. */
export const flows = pgTable(
  'flows',
  {
    id: id(),
    tokenHash: bytes().notNull(),
    purpose: text({ enum: flowPurposes }).notNull(),
    identifier: text().notNull(),
    /** Null when nobody has that address; the answer is the same. */
    userId: uuid().references(() => users.id),
    codeHash: bytes(),
    /** What the next step needs: the challenge of a passkey, the secret of a factor that is being set up. */
    data: jsonb().$type<Record<string, unknown>>(),
    triesLeft: integer().notNull().default(5),
    verified: boolean().notNull().default(false),
    createdAt: createdAt(),
    expiresAt: instant().notNull(),
    usedAt: instant(),
  },
  (t) => [
    uniqueIndex('flows_token').on(t.tokenHash),
    index('flows_by_identifier').on(t.identifier, t.createdAt),
    index('flows_by_user')
      .on(t.userId)
      .where(sql`used_at is null`),
  ],
)

/** Authenticator apps; at most one per person. */
export const totpFactors = pgTable('totp_factors', {
  userId: uuid()
    .primaryKey()
    .references(() => users.id),
  /** AES-256-GCM under a key that is not in the database. */
  secretSealed: bytes().notNull(),
  /** Number of the 30-second step whose code was taken last; none is taken twice. */
  lastStep: bigint({ mode: 'number' }).notNull(),
  createdAt: createdAt(),
  lastUsedAt: instant(),
})

export const passkeys = pgTable(
  'passkeys',
  {
    id: id(),
    userId: uuid()
      .notNull()
      .references(() => users.id),
    credentialId: text().notNull(),
    /** COSE key. */
    publicKey: bytes().notNull(),
    counter: bigint({ mode: 'number' }).notNull(),
    transports: text()
      .array()
      .notNull()
      .default(sql`'{}'`),
    /** Kept by a password manager or an account of the maker, and so on several devices. */
    backedUp: boolean().notNull(),
    name: text().notNull(),
    createdAt: createdAt(),
    lastUsedAt: instant(),
  },
  (t) => [uniqueIndex('passkeys_credential').on(t.credentialId), index('passkeys_by_user').on(t.userId)],
)

/** Each works once; high entropy, so a plain hash is right. */
export const recoveryCodes = pgTable(
  'recovery_codes',
  {
    userId: uuid()
      .notNull()
      .references(() => users.id),
    codeHash: bytes().notNull(),
    createdAt: createdAt(),
    usedAt: instant(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.codeHash] })],
)

/** Browsers from which somebody has signed in before: they keep their owner in while a stranger guesses. */
export const devices = pgTable(
  'devices',
  {
    id: id(),
    userId: uuid()
      .notNull()
      .references(() => users.id),
    tokenHash: bytes().notNull(),
    createdAt: createdAt(),
    lastSeenAt: createdAt(),
    userAgent: text(),
  },
  (t) => [uniqueIndex('devices_of_user').on(t.userId, t.tokenHash)],
)

/** Without an organization: an invitation to administer the installation. */
export const invitations = pgTable(
  'invitations',
  {
    id: id(),
    organizationId: uuid().references(() => organizations.id),
    email: text().notNull(),
    name: text(),
    role: text({ enum: roles }).notNull(),
    groupIds: uuid()
      .array()
      .notNull()
      .default(sql`'{}'`),
    /** The person, where one was created beforehand. */
    userId: uuid().references(() => users.id),
    state: text({ enum: invitationStates }).notNull().default('pending'),
    tokenHash: bytes().notNull(),
    invitedBy: uuid().references(() => users.id),
    invitedByName: text().notNull(),
    /** The newest mail of the invitation; its state tells whether it left. */
    mailId: uuid(),
    sentAt: createdAt(),
    remindedAt: instant(),
    expiresAt: instant().notNull(),
    acceptedAt: instant(),
    acceptedBy: uuid().references(() => users.id),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    uniqueIndex('invitations_token').on(t.tokenHash),
    uniqueIndex('invitations_pending')
      .on(sql`coalesce(${t.organizationId}, '00000000-0000-0000-0000-000000000000')`, t.email)
      .where(sql`state = 'pending'`),
    index('invitations_newest').on(t.organizationId, t.id),
    index('invitations_due')
      .on(t.expiresAt)
      .where(sql`state = 'pending'`),
    index('invitations_of_user')
      .on(t.userId)
      .where(sql`state = 'pending'`),
    check('invitations_home', sql`(${t.organizationId} is null) = (${t.role} = 'superadmin')`),
    check('invitations_email_lower', sql`${t.email} = lower(${t.email})`),
  ],
)

/** What holds for the whole installation; one row. */
export const systemSettings = pgTable(
  'system_settings',
  {
    id: integer().primaryKey().default(1),
    security: jsonb().$type<SystemSecurity>().notNull(),
    updatedAt: updatedAt(),
  },
  (t) => [check('system_settings_single', sql`${t.id} = 1`)],
)

/** Counters of failed or costly attempts; keys are HMACs, so the table names nobody. */
export const attempts = pgTable(
  'attempts',
  {
    key: bytes().notNull(),
    windowStart: instant().notNull(),
    count: integer().notNull().default(0),
    blockedUntil: instant(),
  },
  (t) => [primaryKey({ columns: [t.key, t.windowStart] }), index('attempts_by_age').on(t.windowStart)],
)

/** The link that creates the first superadmin; at most one unused. */
export const setupLinks = pgTable('setup_links', {
  id: id(),
  tokenHash: bytes().notNull().unique(),
  createdAt: createdAt(),
  expiresAt: instant().notNull(),
  usedAt: instant(),
})

/** Answers of POSTs that carried an Idempotency-Key, for 24 hours. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    actorId: uuid().notNull(),
    route: text().notNull(),
    key: text().notNull(),
    bodyHash: bytes().notNull(),
    /** Null while the first request still runs. */
    status: integer(),
    reply: jsonb(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.actorId, t.route, t.key] }),
    index('idempotency_keys_by_age').on(t.createdAt),
  ],
)

export const audit = pgTable(
  'audit',
  {
    id: id(),
    organizationId: uuid(),
    actorId: uuid(),
    /** As it was at the time. */
    actorName: text(),
    /** Through whose eyes the actor, a superadmin, looked. */
    viewingAs: uuid(),
    action: text().notNull(),
    entity: text().notNull(),
    entityId: uuid(),
    before: jsonb(),
    after: jsonb(),
    ipPrefix: inet(),
    userAgent: text(),
    requestId: text(),
    at: createdAt(),
    /** Goes into the hash of the details beside them; erased with them, so that nobody can guess what they were. */
    salt: bytes().default(sql`uuid_send(gen_random_uuid())`),
    /** What the search box looks through. */
    search: text().generatedAlwaysAs(
      sql`lower(coalesce(actor_name, '') || ' ' || action
        || ' ' || coalesce(before ->> 'name', before ->> 'title', '') || ' ' || coalesce(after ->> 'name', after ->> 'title', after ->> 'subject', '')
        || ' ' || coalesce(before ->> 'email', '') || ' ' || coalesce(after ->> 'email', ''))`,
    ),
  },
  (t) => [
    index('audit_by_entity').on(t.entityId, t.at, t.id),
    index('audit_by_organization').on(t.organizationId, t.at, t.id),
    index('audit_newest').on(t.at, t.id),
    index('audit_by_actor').on(t.actorId, t.at, t.id),
    index('audit_by_action').on(t.action, t.at, t.id),
    index('audit_search').using('gin', t.organizationId, sql`${t.search} gin_trgm_ops`),
  ],
)

/** Entries that are not in the chain yet; a trigger puts them here, the sealer takes them out. */
export const auditUnsealed = pgTable('audit_unsealed', { auditId: uuid().primaryKey() })

/** One link per entry, each made of the one before: nothing can be changed, left out or put in between unseen. */
export const auditChain = pgTable(
  'audit_chain',
  {
    seq: bigint({ mode: 'number' }).primaryKey(),
    auditId: uuid().notNull(),
    /** SHA-256 of the salt and of what can be erased; stays when that is gone. */
    detailsHash: bytes().notNull(),
    /** SHA-256 of the entry in its canonical form (server/audit/canonical.ts). */
    entryHash: bytes().notNull(),
    /** SHA-256 of the hash before and this entry's. */
    hash: bytes().notNull(),
    sealedAt: createdAt(),
  },
  (t) => [uniqueIndex('audit_chain_entry').on(t.auditId)],
)
