import { saidInVideos } from './caption-facts.ts'
import type { EndpointDefinition } from '#contract/endpoint.ts'
import { defaultQuizSettings } from '#contract/quizzes/quizzes.ts'
import { defaultSecurity } from '#contract/identity/security.ts'
import { sessionFlags, spanFlags } from '#contract/tracking/track-limits.ts'
import { draft, question } from '../quizzes/quizzes.ts'
import type { Send, TestServer } from '../server.ts'
import { unique } from '../unique.ts'

/** One of everything, each after those that it names: $1 the organization, $2 a person in it, $3 the draft of a quiz. */
const things = {
  groupId: `insert into groups (organization_id, name) values ($1, 'Group of A') returning id`,
  projectId: `insert into projects (organization_id, name) values ($1, 'Project of A') returning id`,
  videoId: `insert into videos (organization_id, project_id, title, state)
    select $1, id, 'Sample of A', 'ready' from "projectId" returning id`,
  versionId: `insert into video_versions (organization_id, video_id, number, file_name, size, received_bytes, uploaded_at, duration_ms, ready_at, poster, poster_small)
    select $1, id, 1, 'v.mp4', 1, 1, now(), 60000, now(), 'poster.jpg', 'poster-640.jpg' from "videoId" returning id, video_id`,
  chaptersId: `insert into video_chapters (version_id, organization_id, chapters)
    select id, $1, '[{"startMs":0,"title":"Chapter of A","toCheck":false}]' from "versionId" returning version_id as id`,
  captionId: `insert into captions (organization_id, video_id, version_id, language, kind, format, made_for, cues, cue_count, revision)
    select $1, video_id, id, 'de', 'captions', 'vtt', 1,
      '[{"id":"","startMs":0,"endMs":1000,"settings":"","text":"Words of A"}]', 1, '' from "versionId" returning id`,
  transmissionId: `insert into transmissions (organization_id, state, subject, body, video_id, version_id, sender_id, sender_name, audience)
    select $1, 'sending', 'Subject of A', 'b', video_id, id, $2, 'S', '{"userIds":[],"groupIds":[],"everyone":true}' from "versionId" returning id`,
  deliveryId: `insert into deliveries (transmission_id, organization_id, user_id, address, state)
    select id, $1, $2, 'a@example.test', 'unknown' from "transmissionId" returning id`,
  sessionId: `insert into sessions (user_id, token_hash, idle_expires_at, expires_at)
    values ($2, sha256(gen_random_uuid()::text::bytea), now() + interval '1 hour', now() + interval '1 day') returning id`,
  playId: `insert into play_sessions (id, organization_id, video_id, version_id, user_id, viewer_key, started_at, last_at, flags)
    select uuidv7(), $1, video_id, id, $2, 'recipient:' || $2, now(), now(), ${spanFlags.program | sessionFlags.mixed} from "versionId" returning id`,
  invitationId: `insert into invitations (organization_id, email, role, group_ids, token_hash, invited_by_name, expires_at)
    select $1, 'invited@example.test', 'groupadmin', array[id], sha256($1::text::bytea), 'Inviter of A', now() + interval '1 day'
    from "groupId" returning id`,
  operationId: `insert into operations (organization_id, kind, state, created_by_name, undo_until)
    values ($1, 'users.remove', 'done', 'Remover of A', now() + interval '1 day') returning id`,
  fieldId: `insert into custom_fields (organization_id, key, label, type) values ($1, 'a', 'Field of A', 'text') returning id`,
  removedFieldId: `insert into custom_fields (organization_id, key, label, type, deleted_at) values ($1, 'b', 'Removed field of A', 'text', now()) returning id`,
  templateId: `insert into message_templates (organization_id, name, subject, message) values ($1, 'Template of A', 's', 'm') returning id`,
  viewId: `insert into saved_views (organization_id, owner_id, list, name, search, shared)
    values ($1, $2, 'users', 'View of A', '{"state":"invited"}', true) returning id`,
  scheduleId: `insert into report_schedules (organization_id, owner_id, report, view, period, rhythm, weekday, month_day, hour,
      time_zone, formats, next_at)
    select $1, $2, 'user-engagement', jsonb_build_object('videoId', id), '7d', 'weekly', 1, 1, 7, 'UTC', '{}', now() + interval '1 day'
    from "videoId" returning id`,
  reportAddressId: `insert into report_addresses (schedule_id, organization_id, owner_id, address)
    select id, $1, $2, 'reader.of.a@example.test' from "scheduleId" returning id`,
  importOperationId: `insert into operations (organization_id, kind, state, params, created_by_name)
    values ($1, 'users.import', 'draft', '{"subject":"people of A.csv"}', 'Importer of A') returning id`,
  importId: `insert into imports (operation_id, organization_id, file_name, delimiter, header, options)
    select id, $1, 'people of A.csv', ',', array['Name of A'],
      '{"matchBy":"either","existing":"update","emptyCells":"keep","createGroups":false,"role":null,"invite":false}'
    from "importOperationId" returning operation_id as id`,
  certificateId: `insert into certificates (organization_id, number, user_id, video_id, version_id, body, body_hash, hash, key_id, signature)
    select $1, 1, $2, video_id, id, '{"person":{"name":"Person of A"},"video":{"title":"Video of A"},"number":1}', '', '', '', '' from "versionId" returning id`,
  assignmentId: `insert into assignments (organization_id, name, state, video_id, audience, requirement, due, reminders, subject, message,
      created_by, created_by_name)
    select $1, 'Assignment of A', 'active', id, jsonb_build_object('userIds', jsonb_build_array($2::uuid), 'groupIds', '[]'::jsonb, 'everyone', false,
      'exceptGroupIds', '[]'::jsonb, 'exceptUserIds', '[]'::jsonb), 'watched', '{"kind":"none"}',
      '{"daysBefore":[],"onTheDay":false,"daysAfter":[3],"weekly":false,"most":3}', 's', 'm', $2, 'Author of A' from "videoId" returning id, video_id`,
  obligationId: `insert into obligations (organization_id, assignment_id, user_id, video_id, counts_from, counted)
    select $1, id, $2, video_id, now(), true from "assignmentId" returning id, assignment_id`,
  obligationChangeId: `insert into obligation_changes (organization_id, assignment_id, user_id, action, reason, by_id, by_name)
    select $1, id, $2, 'extend', 'Reason of A', $2, 'Decider of A' from "assignmentId" returning id`,
  confirmationId: `insert into confirmations (obligation_id, organization_id, user_id, statement, delivery_id, confirmed_at)
    select o.id, $1, $2, 'Statement of A', d.id, now() from "obligationId" o, "deliveryId" d returning obligation_id as id`,
  obligationMessageId: `insert into obligation_messages (organization_id, obligation_id, kind, slot, transmission_id)
    select $1, o.id, 'first', current_date, t.id from "obligationId" o, "transmissionId" t returning obligation_id as id`,
  escalationDigestId: `insert into escalation_digests (organization_id, reader_id, day) select $1, $2, current_date returning reader_id as id`,
  cardId: `insert into cards (delivery_id, organization_id, transmission_id, user_id, pin_hash, handed_by, handed_by_name)
    select d.id, $1, t.id, $2, '', $2, 'Printer of A' from "deliveryId" d, "transmissionId" t returning delivery_id as id`,
  senderId: `insert into mail_senders (organization_id, address, verified_at) values ($1, 'a@b.test', now()) returning organization_id as id`,
  barredAddressId: `insert into suppressions (organization_id, address, reason) values ($1, 'barred.of.a@example.test', 'Reason of A') returning id`,
  unsubscriptionId: `insert into unsubscriptions (organization_id, address) values ($1, 'unsubscribed.of.a@example.test') returning id`,
  keyId: `insert into service_accounts (organization_id, name, owner_id, scopes) values ($1, 'Key of A', $2, '{people:read}') returning id`,
  keyTokenId: `insert into service_tokens (token_hash, account_id, organization_id, start, expires_at)
    select sha256(id::text::bytea), id, $1, 'srk_Aaaa', now() + interval '1 day' from "keyId" returning account_id as id`,
  keyCallsId: `insert into key_calls (account_id, organization_id, place, began, count)
    select id, $1, 0, now(), 1 from "keyId" returning account_id as id`,
  systemKeyId: `insert into service_accounts (name, owner_id, scopes) values ('Key of all', $2, '{people:read}') returning id`,
  systemKeyTokenId: `insert into service_tokens (token_hash, account_id, start, expires_at)
    select sha256(id::text::bytea), id, 'srk_Bbbb', now() + interval '1 day' from "systemKeyId" returning account_id as id`,
  webhookId: `insert into webhooks (organization_id, url, secret_sealed) values ($1, 'https://a.test/', '') returning organization_id as id`,
  eventAddressId: `insert into event_addresses (organization_id, url, types, secret_sealed)
    values ($1, 'https://events.of.a.test/', '{person.left}', '') returning id`,
  eventId: `insert into events (organization_id, type, subject, at, data, due_at, sorted_at)
    values ($1, 'person.left', $2, now(), '{"person":{"name":"Event of A"}}', now(), now()) returning id`,
  eventPostId: `insert into event_posts (organization_id, address_id, event_id, subject, type, state, answer)
    select $1, a.id, e.id, $2, 'person.left', 'aside', 'Answer of A' from "eventAddressId" a, "eventId" e returning id`,
  connectionId: `insert into sign_in_connections (organization_id, kind, name, issuer, client_id, is_on, creates, grants, second_step, rules)
    values ($1, 'oidc', 'Connection of A', 'https://10.0.0.1', 'reel', false, false, 'admin', 'ours', '[]') returning id`,
  connectionPersonId: `insert into connection_people (connection_id, organization_id, user_id, subject, claims)
    select id, $1, $2, 'Subject of A', '{"name":["Claim of A"]}' from "connectionId" returning id`,
  connectionSessionId: `insert into connection_sessions (session_id, person_id, user_id)
    select s.id, p.id, $2 from "sessionId" s, "connectionPersonId" p returning session_id as id`,
  domainId: `insert into sign_in_domains (organization_id, domain, token) values ($1, 'a.test', 'Token of A') returning id`,
  systemConnectionId: `insert into sign_in_connections (kind, name, issuer, client_id, is_on, creates, grants, second_step, rules)
    values ('oidc', 'Connection of the installation', 'https://10.0.0.1', 'reel', false, false, 'admin', 'ours', '[]') returning id`,
  systemLinkId: `insert into connection_people (connection_id, user_id, subject, claims)
    select id, $2, 'Subject of A', '{}' from "systemConnectionId" returning id`,
  systemDomainId: `insert into sign_in_domains (domain, token) values ('installation.test', 'Token')
    on conflict on constraint sign_in_domains_domain do update set token = excluded.token returning id`,
  signInPolicyId: `insert into sign_in_policies (organization_id, sign_in) values ($1, 'offered') returning organization_id as id`,
  quizId: `insert into quizzes (organization_id, video_id, draft) select $1, id, $3::jsonb from "videoId" returning id, video_id, draft`,
  quizVersionId: `insert into quiz_versions (organization_id, quiz_id, number, settings, max_score)
    select $1, id, 1, draft -> 'settings', 1 from "quizId" returning id`,
  quizItemId: `insert into quiz_items (organization_id, version_id, key, position, kind, points, question)
    select $1, z.id, uuidv7(), 0, 'single', 1, q.draft #> '{questions,0}' from "quizVersionId" z, "quizId" q returning id`,
  attemptId: `insert into quiz_attempts (organization_id, quiz_id, version_id, video_id, viewer_key, user_id, session_id, number, seed, max_score)
    select $1, q.id, z.id, q.video_id, 'recipient:' || $2::text, $2, gen_random_uuid(), 1, 1, 1 from "quizVersionId" z, "quizId" q returning id`,
}

/** One of everything in an organization; every id is real. */
export type Facts = Record<keyof typeof things | 'orgId' | 'userId' | 'adminId', string>

/** Named, so that it is planned once and not more than a thousand times. */
const insertThings = {
  name: 'facts',
  text: `with ${Object.entries(things)
    .map(([id, text]) => `"${id}" as (${text})`)
    .join(', ')}
    select $1::uuid as "orgId", $2::uuid as "userId", ${Object.keys(things)
      .map((id) => `(select id from "${id}") as "${id}"`)
      .join(', ')}`,
}

/** An organization with one of everything. */
export async function onePerThing(server: TestServer): Promise<Facts> {
  const orgId = await server.organization('Organization A')
  const userId = (await server.person(null, orgId)).id
  const adminId = (await server.person('admin', orgId)).id
  const quiz = JSON.stringify(draft([question({ prompt: 'Question of A' })]))
  const found = await server.services.db.system.query<Facts>({
    ...insertThings,
    values: [orgId, userId, quiz],
  })
  const [all] = found.rows
  if (!all) throw new Error('nothing was inserted')
  await server.services.db.system.query(
    `with joined as (insert into group_members (organization_id, group_id, user_id) values ($1, $2, $3))
     update videos set current_version_id = $4 where id = $5`,
    [all.orgId, all.groupId, all.userId, all.versionId, all.videoId],
  )
  return { ...all, adminId }
}

export type Input = {
  params?: Record<string, string>
  query?: Record<string, string>
  body?: object
  headers?: Record<string, string>
}

const name = 'A new name'
const timing = { rhythm: 'monthly', monthDay: 31, hour: 6, period: 'month', formats: [] }
const cells = ({ userId, videoId }: Facts) => ({ userIds: [userId], videoIds: [videoId] })
const plan = (userId: string, videoId: string) => ({
  name,
  videoId,
  audience: { userIds: [userId] },
  requirement: 'watched',
  due: { kind: 'none' },
  validity: null,
  countsSince: null,
  reminders: { daysBefore: [], onTheDay: false, daysAfter: [3], weekly: false, most: 3 },
  subject: name,
  message: name,
})
const connection = {
  kind: 'oidc',
  name,
  issuer: 'https://login.example.test',
  clientId: 'reel',
  clientSecret: 'a secret',
}
const connectionChange = {
  ...connection,
  isOn: true,
  creates: false,
  grants: 'admin',
  secondStep: 'ours',
  rules: [],
}
const doneTo = (id: string, action: string) => ({ selection: { ids: [id] }, do: { action } })
const eventAddress = { url: 'https://systems.example.test/events', types: ['person.created'] }
const key = () => ({
  name,
  scopes: ['people:read'],
  expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
})
const email = () => `${unique()}@example.test`
/** One pixel. */
const picture = {
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
}

/** What a valid request says beside the ids that its address names. */
export const samples: Record<string, (facts: Facts) => Input> = {
  readTogether: ({ orgId }) => ({ query: { of: `/auth/session /organizations/${orgId}` } }),
  viewAs: ({ adminId }) => ({ body: { userId: adminId, reason: 'Asked for help' } }),
  endUserSessions: () => ({ body: {} }),
  renamePasskey: () => ({ params: { passkeyId: crypto.randomUUID() }, body: { name } }),
  removePasskey: () => ({ params: { passkeyId: crypto.randomUUID() } }),
  resetFactors: () => ({ body: { reason: 'lost the phone' } }),
  updateAccount: () => ({ body: { name, phone: null } }),
  changePassword: () => ({ body: { currentPassword: name, password: name } }),
  deleteAccount: () => ({ body: { email: email() } }),
  retryJob: () => ({ params: { jobId: crypto.randomUUID() } }),
  trySetAsideAgain: () => ({ params: { asideId: crypto.randomUUID() } }),
  discardSetAside: () => ({ params: { asideId: crypto.randomUUID() } }),
  updateMailServer: () => ({
    body: {
      host: 'mail.example.test',
      port: 587,
      encryption: 'starttls',
      user: null,
      senderName: name,
      senderAddress: email(),
    },
  }),
  sendTestMail: () => ({ body: {} }),
  updateSender: () => ({ body: { address: email() } }),
  sendSenderCode: () => ({ body: {} }),
  verifySender: () => ({ body: { code: '123456' } }),
  checkSender: () => ({ body: {} }),
  createKey: () => ({ body: key() }),
  updateKey: () => ({ body: key() }),
  rotateKey: () => ({ body: {} }),
  createSystemKey: () => ({ body: key() }),
  readSystemKey: ({ systemKeyId: keyId }) => ({ params: { keyId } }),
  updateSystemKey: ({ systemKeyId: keyId }) => ({ params: { keyId }, body: key() }),
  rotateSystemKey: ({ systemKeyId: keyId }) => ({ params: { keyId }, body: {} }),
  revokeSystemKey: ({ systemKeyId: keyId }) => ({ params: { keyId } }),
  updateWebhook: () => ({ body: { url: 'https://hooks.example.test/messages' } }),
  replaceWebhookSecret: () => ({ body: {} }),
  testWebhook: () => ({ body: {} }),
  createEventAddress: () => ({ body: eventAddress }),
  updateEventAddress: () => ({ body: eventAddress }),
  rotateEventSecret: () => ({ body: {} }),
  testEventAddress: () => ({ body: {} }),
  replayEvents: () => ({ body: { from: '2026-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' } }),
  createConnection: () => ({ body: connection }),
  updateConnection: () => ({ body: connectionChange }),
  tryConnection: () => ({ body: {} }),
  previewRules: () => ({ body: { grants: 'admin', rules: [] } }),
  createSystemConnection: () => ({ body: connection }),
  readSystemConnection: ({ systemConnectionId: connectionId }) => ({ params: { connectionId } }),
  updateSystemConnection: ({ systemConnectionId: connectionId }) => ({
    params: { connectionId },
    body: connectionChange,
  }),
  deleteSystemConnection: ({ systemConnectionId: connectionId }) => ({ params: { connectionId } }),
  trySystemConnection: ({ systemConnectionId: connectionId }) => ({ params: { connectionId }, body: {} }),
  listSystemConnectionPeople: ({ systemConnectionId: connectionId }) => ({ params: { connectionId } }),
  unlinkSystemConnectionPerson: ({ systemConnectionId: connectionId }) => ({ params: { connectionId } }),
  createDomain: () => ({ body: { domain: `${unique()}.example.test` } }),
  checkDomain: () => ({ body: {} }),
  createSystemDomain: () => ({ body: { domain: `${unique()}.example.test` } }),
  checkSystemDomain: ({ systemDomainId: domainId }) => ({ params: { domainId }, body: {} }),
  deleteSystemDomain: ({ systemDomainId: domainId }) => ({ params: { domainId } }),
  updateOrganizationSignIn: () => ({ body: { signIn: 'offered', breakGlassId: null } }),
  beginProof: ({ connectionId }) => ({ body: { connectionId } }),
  updateMailReturns: () => ({
    body: {
      address: 'bounce@mail.example.test',
      host: 'mail.example.test',
      port: 993,
      encryption: 'tls',
      user: 'bounce',
      password: 'secret',
      folder: 'INBOX',
    },
  }),
  testMailReturns: () => ({ body: {} }),
  updateMailSigning: () => ({ body: { domain: 'mail.example.test', selector: 'reel', isOn: true } }),
  checkMailSigning: () => ({ body: {} }),
  updateSecurity: () => ({ body: defaultSecurity }),
  updateBackupPlan: () => ({
    body: { isOn: true, hour: 3, daily: 7, weekly: 4, monthly: 12, checkEvery: 'week' },
  }),
  createOrganization: () => ({ body: { name } }),
  updateOrganization: () => ({ body: { name } }),
  updateOrganizationSettings: () => ({ body: { name } }),
  changeOrganizationState: () => ({ body: { state: 'suspended' } }),
  hideAlert: ({ orgId }) => ({ params: { kind: 'failed_mails' }, body: { organizationId: orgId, days: 7 } }),
  showAlert: () => ({ params: { kind: 'failed_mails' } }),
  createUser: ({ groupId }) => ({ body: { name, email: email(), groupIds: [groupId] } }),
  updateUser: () => ({ body: { name, email: email() } }),
  changeUsers: ({ userId, groupId }) => ({
    body: {
      selection: { userIds: [userId] },
      do: { action: 'add_to_group', groupId },
    },
  }),
  previewUsers: ({ userId, groupId }) => ({
    body: {
      selection: { userIds: [userId] },
      do: { action: 'add_to_group', groupId },
    },
  }),
  changeGroups: ({ groupId }) => ({
    body: {
      selection: { ids: [groupId] },
      do: { action: 'remove' },
    },
  }),
  previewGroups: ({ groupId }) => ({
    body: {
      selection: { ids: [groupId] },
      do: { action: 'remove' },
    },
  }),
  ...saidInVideos,
  changeVideos: ({ videoId }) => ({
    body: {
      selection: { ids: [videoId] },
      do: { action: 'change', privacy: 'private' },
    },
  }),
  previewVideos: ({ videoId }) => ({
    body: {
      selection: { ids: [videoId] },
      do: { action: 'remove' },
    },
  }),
  changeTransmissions: ({ transmissionId }) => ({ body: doneTo(transmissionId, 'cancel') }),
  previewTransmissions: ({ transmissionId }) => ({ body: doneTo(transmissionId, 'cancel') }),
  changeOperations: ({ operationId }) => ({ body: { selection: { ids: [operationId] }, action: 'undo' } }),
  previewOperations: ({ operationId }) => ({ body: { selection: { ids: [operationId] }, action: 'undo' } }),
  exportVideos: ({ orgId, videoId }) => ({ body: { filter: { organizationId: orgId }, ids: [videoId] } }),
  exportTransmissions: ({ orgId, transmissionId }) => ({
    body: { filter: { organizationId: orgId }, ids: [transmissionId] },
  }),
  changeOrganizations: ({ orgId }) => ({ body: { selection: { ids: [orgId] }, do: { action: 'remove' } } }),
  previewOrganizations: ({ orgId }) => ({ body: { selection: { ids: [orgId] }, do: { action: 'remove' } } }),
  readEvidenceSession: ({ playId: sessionId }) => ({ params: { sessionId } }),
  countEvidenceSession: ({ playId: sessionId }) => ({
    params: { sessionId },
    body: { reason: 'They were seen watching' },
  }),
  doubtEvidenceSession: ({ playId: sessionId }) => ({ params: { sessionId } }),
  issueCertificate: ({ videoId }) => ({ body: { videoId } }),
  downloadCertificate: () => ({ query: { format: 'json' } }),
  explainVisibility: ({ groupId: id }) => ({ query: { about: 'group', id } }),
  eraseEvidence: () => ({ body: { when: 'now' } }),
  putLogo: () => ({ body: picture }),
  putAvatar: () => ({ body: picture }),
  putOwnAvatar: () => ({ body: picture }),
  findRemoved: () => ({ query: { email: email() } }),
  createGroup: () => ({ body: { name } }),
  updateGroup: () => ({ body: { name } }),
  addGroupUsers: ({ adminId }) => ({ body: { userIds: [adminId] } }),
  createField: () => ({ body: { label: crypto.randomUUID(), type: 'text' } }),
  updateField: () => ({ body: { label: 'Another label' } }),
  orderFields: ({ fieldId }) => ({ body: { fieldIds: [fieldId] } }),
  restoreField: ({ removedFieldId: fieldId }) => ({ params: { fieldId } }),
  matchMembers: () => ({ body: { text: 'nobody@example.test' } }),
  addNewMembers: () => ({ body: { people: [{ email: email() }] } }),
  setGroupadmin: () => ({ body: { groupadmin: false } }),
  previewRule: ({ groupId }) => ({
    body: {
      rule: { match: 'all', conditions: [{ about: 'group', is: 'one_of', values: [groupId] }] },
    },
  }),
  createInvitation: ({ orgId, groupId }) => ({
    body: { organizationId: orgId, email: email(), role: 'groupadmin', groupIds: [groupId] },
  }),
  inviteMany: ({ orgId, groupId }) => ({
    body: { organizationId: orgId, addresses: email(), role: 'groupadmin', groupIds: [groupId] },
  }),
  listViews: () => ({ query: { list: 'users' } }),
  createView: ({ orgId }) => ({
    body: { organizationId: orgId, list: 'users', name: `View ${crypto.randomUUID()}`, search: { q: 'a' } },
  }),
  updateView: () => ({ body: { name } }),
  createImport: () => ({
    body: { fileName: 'people.csv', content: 'name,email\nAda,a@b.test\n' },
  }),
  updateImport: () => ({ body: { mapping: { 0: 'name' }, options: {} } }),
  createProject: ({ orgId, projectId }) => ({ body: { name, organizationId: orgId, parentId: projectId } }),
  updateProject: () => ({ body: { name } }),
  listVideoTags: ({ orgId }) => ({ query: { organizationId: orgId } }),
  listVideos: ({ projectId }) => ({ query: { projectId } }),
  searchVideos: () => ({ query: { keyword: 'sample' } }),
  createVideo: ({ orgId, projectId }) => ({
    body: { title: name, fileName: 'a.mp4', size: 10, organizationId: orgId, projectId },
  }),
  updateVideo: () => ({ body: { title: name } }),
  retryVideo: () => ({ body: {} }),
  replaceVideo: () => ({ body: { fileName: 'b.mp4', size: 10, change: { matters: 'nothing' } } }),
  choosePoster: () => ({ body: { id: 'made' } }),
  saveChapters: () => ({ body: { text: '0:00 Start' } }),
  saveQuiz: () => ({ body: { settings: defaultQuizSettings, questions: [] } }),
  readQuizVersion: ({ quizVersionId: versionId }) => ({ params: { versionId } }),
  createTransmission: ({ orgId, videoId, userId }) => ({
    body: { body: 'Please watch', accountId: orgId, videoId, userId },
  }),
  createDraft: ({ orgId, userId }) => ({
    body: { accountId: orgId, videoId: null, body: '', audience: { userIds: [userId] } },
  }),
  saveDraft: ({ videoId, userId }) => ({
    body: { version: 1, videoId, body: 'Please watch', audience: { userIds: [userId] } },
  }),
  previewAudience: ({ orgId, userId, groupId }) => ({
    body: { accountId: orgId, audience: { userIds: [userId], groupIds: [groupId], everyone: true } },
  }),
  previewMail: ({ orgId, videoId }) => ({ body: { body: 'Please watch', accountId: orgId, videoId } }),
  testTransmission: ({ orgId, videoId }) => ({ body: { body: 'Please watch', accountId: orgId, videoId } }),
  findRecipients: ({ orgId, userId }) => ({ body: { accountId: orgId, audience: { userIds: [userId] } } }),
  createTemplate: () => ({ body: { name: crypto.randomUUID(), subject: name, message: name } }),
  updateTemplate: () => ({ body: { name, subject: name, message: name } }),
  countGaps: ({ orgId, userId }) => ({
    body: { accountId: orgId, audience: { userIds: [userId] }, variables: ['firstName'] },
  }),
  editTransmission: ({ videoId, userId }) => ({
    body: {
      version: 1,
      body: 'Please watch',
      videoId,
      audience: { userIds: [userId] },
    },
  }),
  exportDeliveries: () => ({ body: {} }),
  resolveDeliveries: () => ({ body: { decision: 'treat_as_failed', expected: 1 } }),
  releaseSending: () => ({ body: { answer: 'only_off' } }),
  setDueDay: () => ({ body: { dueAt: null } }),
  changeTransmission: () => ({ body: { action: 'pause', version: 1 } }),
  barAddress: () => ({ body: { address: email(), reason: 'They asked for it.' } }),
  importBarredAddresses: () => ({ body: { addresses: [{ address: email() }] } }),
  liftBar: () => ({ body: { address: email() } }),
  changeBarredAddresses: ({ barredAddressId }) => ({ body: doneTo(barredAddressId, 'lift') }),
  previewBarredAddresses: ({ barredAddressId }) => ({ body: doneTo(barredAddressId, 'lift') }),
  revokeLink: () => ({ body: { reason: 'It was passed on.' } }),
  resolveDelivery: () => ({ body: { decision: 'treat_as_failed' } }),
  listReportChoices: () => ({ query: { of: 'video' } }),
  planReportSchedule: () => ({ query: { rhythm: 'weekly', hour: '7', period: '7d' } }),
  createReportSchedule: ({ orgId }) => ({
    body: { report: 'user-engagement', view: { organizationId: orgId }, ...timing },
  }),
  updateReportSchedule: () => ({ body: timing }),
  waiveTraining: () => ({ body: { reason: 'Watched it elsewhere' } }),
  createAssignment: ({ userId, videoId, assignmentId: waitsForId }) => ({
    body: { ...plan(userId, videoId), waitsForId, further: [{ name, videoId }] },
  }),
  editAssignment: ({ userId, videoId }) => ({ body: { ...plan(userId, videoId), version: 1 } }),
  changeAssignment: () => ({ body: { action: 'pause', version: 1 } }),
  previewAssignment: ({ userId, videoId, assignmentId: waitsForId }) => ({
    body: { videoId, waitsForId, audience: { userIds: [userId] }, requirement: 'watched', countsSince: null },
  }),
  remindPeople: ({ userId }) => ({ body: { userIds: [userId] } }),
  sendMissed: ({ userId }) => ({ body: { ids: [userId] } }),
  openMessage: () => ({ body: {} }),
  makeCards: ({ userId }) => ({ body: { userIds: [userId], format: 'card' } }),
  exportObligations: () => ({ body: {} }),
  changeObligations: () => ({ body: { do: { action: 'exempt', reason: 'Other work' }, expected: 1 } }),
  changeObligation: () => ({ body: { do: { action: 'waive', reason: 'On leave', until: null } } }),
  changeWaivers: (ids) => ({ body: { ...cells(ids), do: { action: 'end' } } }),
  previewWaivers: (ids) => ({ body: { ...cells(ids), action: 'end' } }),
  readWatchedBeforeAnswer: ({ quizItemId: itemId }) => ({ params: { itemId } }),
  search: () => ({ query: { q: 'of A' } }),
  readNotification: () => ({ params: { notificationId: crypto.randomUUID() } }),
  readNotifications: () => ({ body: { newestId: crypto.randomUUID() } }),
}

/** A valid request: the ids of its address and its organization are those of the facts, the rest is its sample. */
export function sampleOf(endpoint: EndpointDefinition, facts: Facts): Input {
  const { params = {}, query = {}, ...rest } = samples[endpoint.name]?.(facts) ?? {}
  const named = Array.from(endpoint.path.matchAll(/:(\w+)/g), ([, id = '']) => {
    const value: string | undefined = params[id] ?? facts[id as keyof Facts]
    if (value === undefined)
      throw new Error(`${endpoint.name} asks for ${id}, which no fact and no sample has`)
    return [id, value] as const
  })
  const narrowed = asked(endpoint).includes('organizationId') ? { organizationId: facts.orgId } : {}
  const asks = { ...narrowed, ...query }
  return {
    ...(named.length > 0 ? { params: Object.fromEntries(named) } : {}),
    ...(Object.keys(asks).length > 0 ? { query: asks } : {}),
    ...rest,
  }
}

const asked = ({ query }: EndpointDefinition): string[] =>
  query && 'shape' in query ? Object.keys(query.shape as object) : []

/** Sends the request of a sample. */
export async function ask(endpoint: EndpointDefinition, input: Input, send: Send) {
  const path = endpoint.path.replaceAll(/:(\w+)/g, (_all, key: string) => input.params?.[key] ?? key)
  const query = new URLSearchParams(input.query)
  const url = `/api${path}${query.size > 0 ? `?${query.toString()}` : ''}`
  const { body, headers } = input
  return send(endpoint.method, url, { ...(body ? { body } : {}), ...(headers ? { headers } : {}) })
}
