import type { Fate, FilePlace, PersonalField, PersonalTable, Telling } from './personal-fates.ts'

const becomes = (erased: Fate, file?: FilePlace): PersonalField => (file ? { erased, file } : { erased })
const of = (whose: string, erased: Fate, telling: Telling = {}): PersonalField => ({
  erased,
  whose,
  ...telling,
})
const untold = (erased: Fate, why: string): PersonalField => ({ erased, untold: why })
const secret = 'of no use but to somebody who steals it'
const ofSearch = 'the words of other columns once more'
const ofAnother = 'about somebody else'
const ofAdministration =
  'what somebody did as an administrator stays as it was signed: docs/design/privacy.md'
const browser = {
  user_agent: becomes('evidence', 'sessions.browser'),
  network: becomes('evidence', 'sessions.network'),
}

const barred = (otherColumns: string): PersonalTable => ({
  parts: ['barred'],
  fields: {
    address: {
      retained: 'whoever is not to be written to stays so, until it is lifted',
      file: 'barred.address',
    },
  },
  otherColumns,
})

/** This list has every table that holds something about a person, with every column of it. A test compares it with the database. */
export const personalTables: Readonly<Record<string, PersonalTable>> = {
  users: {
    parts: ['profile'],
    fields: {
      name: of('id', 'replaced', { file: 'profile.name' }),
      email: becomes('replaced', 'profile.email'),
      phone: of('id', 'cleared', { file: 'profile.phone' }),
      external_id: of('id', 'cleared', { file: 'profile.externalId' }),
      custom_fields: of('id', 'cleared', { file: 'profile.customFields' }),
      language: of('id', 'cleared', { file: 'profile.language' }),
      time_zone: of('id', 'cleared', { file: 'profile.timeZone' }),
      manager: of('id', 'cleared', { file: 'profile.manager' }),
      avatar: of('id', 'cleared', { file: 'profile.hasPicture' }),
      search: untold('replaced', ofSearch),
      called: untold('replaced', ofSearch),
      password_hash: untold('cleared', secret),
    },
    otherColumns:
      'id organization_id role state role_since erased_at password_changed_at password_expired delete_after last_seen_at created_at updated_at deleted_at',
  },
  group_members: {
    parts: ['memberships'],
    otherColumns: 'organization_id group_id user_id groupadmin by_rule created_at',
  },
  membership_log: {
    parts: ['memberships'],
    otherColumns: 'id organization_id group_id user_id change cause actor_id created_at',
  },
  dirty_keys: {
    untold: 'says for seconds what is to be worked out anew',
    otherColumns: 'id figure organization_id subject person marked_at',
  },
  saved_views: {
    parts: ['views'],
    // Anything that is shared with everybody is the organization's, and stays.
    fields: { name: becomes('removed', 'views.name'), search: becomes('removed', 'views.search') },
    otherColumns: 'id organization_id owner_id list shared created_at updated_at',
  },
  hidden_attention: {
    parts: ['hiddenAlerts'],
    goesWith: 'owner_id',
    otherColumns: 'id organization_id owner_id kind count until created_at',
  },
  pictures: {
    parts: ['profile'],
    fields: { data: becomes('removed', 'profile.picture') },
    otherColumns: 'key organization_id type width height created_at',
  },
  sessions: {
    parts: ['signIns'],
    goesWith: 'user_id',
    fields: {
      ip_prefix: becomes('removed', 'signIns.network'),
      user_agent: becomes('removed', 'signIns.browser'),
      viewing_reason: untold('cleared', 'why a superadmin looked; it is in the log too'),
    },
    otherColumns:
      'id user_id token_hash created_at last_seen_at idle_expires_at expires_at reauthenticated_at locked_at amr remembered viewing_as viewing_until revoked_at revoked_by end_reason',
  },
  flows: {
    untold: 'steps of a sign-in, with their codes, for minutes',
    fields: { identifier: becomes('aged'), data: becomes('aged') },
    otherColumns: 'id token_hash purpose user_id code_hash tries_left verified created_at expires_at used_at',
  },
  totp_factors: {
    parts: ['factors'],
    fields: { secret_sealed: untold('removed', secret) },
    otherColumns: 'user_id last_step created_at last_used_at',
  },
  passkeys: {
    parts: ['factors'],
    fields: {
      name: becomes('removed', 'factors.name'),
      credential_id: untold('removed', secret),
      public_key: untold('removed', secret),
    },
    otherColumns: 'id user_id counter transports backed_up created_at last_used_at',
  },
  connection_people: {
    parts: ['connections'],
    goesWith: 'user_id',
    fields: {
      subject: becomes('removed', 'connections.subject'),
      claims: becomes('removed', 'connections.claims'),
    },
    otherColumns: 'id connection_id organization_id user_id role_given group_ids first_at last_at',
  },
  connection_sessions: {
    untold: 'which of `signIns` began by a connection',
    goesWith: 'user_id',
    fields: { sid: untold('removed', secret) },
    otherColumns: 'session_id person_id user_id',
  },
  sign_in_connections: {
    untold: 'of the organization',
    fields: {
      trial: becomes('aged'),
      name: { retained: 'what the button of a company’s own sign-in says, of nobody in particular' },
    },
    otherColumns:
      'id organization_id kind issuer client_id secret_sealed is_on creates grants second_step rules last_sign_in_at last_fault last_fault_at created_at updated_at',
  },
  recovery_codes: { parts: ['factors'], otherColumns: 'user_id code_hash created_at used_at' },
  devices: {
    parts: ['devices'],
    fields: { user_agent: becomes('removed', 'devices.browser') },
    otherColumns: 'id user_id token_hash created_at last_seen_at',
  },
  invitations: {
    parts: ['invitations'],
    fields: {
      email: becomes('replaced', 'invitations.email'),
      name: becomes('cleared', 'invitations.name'),
      invited_by_name: of('invited_by', 'replaced', { untold: ofAnother }),
    },
    otherColumns:
      'id organization_id role group_ids user_id state token_hash invited_by mail_id sent_at reminded_at expires_at accepted_at accepted_by created_at updated_at',
  },
  idempotency_keys: {
    untold: 'answers once more, for a day',
    fields: { reply: becomes('aged') },
    otherColumns: 'actor_id route key body_hash status created_at',
  },
  audit: {
    parts: ['actions', 'log'],
    fields: {
      actor_name: { retained: ofAdministration, file: 'log.by' },
      before: becomes('cleared', 'log.before'),
      after: becomes('cleared', 'log.after'),
      ip_prefix: { retained: ofAdministration, file: 'log.network' },
      user_agent: { retained: ofAdministration, file: 'log.browser' },
      search: { retained: ofAdministration, untold: ofSearch },
    },
    otherColumns: 'id organization_id actor_id viewing_as key_id action entity entity_id request_id at salt',
  },
  transmissions: {
    untold: 'that they sent one is among their actions',
    fields: { sender_name: of('sender_id', 'replaced') },
    otherColumns:
      'id organization_id state version content_rev subject body video_id version_id sender_id audience prepare_cursor prepared_at follows_id assignment_id also reminders audience_total delivery_policy state_reason scheduled_at leaves_at leaves_clock zones waves outside_window completed_at due_at links_end_at search created_at released_at dated_at updated_at',
  },
  transmission_approvals: {
    untold: 'that they decided is among their actions',
    fields: { decided_by_name: of('decided_by', 'replaced') },
    otherColumns:
      'id organization_id transmission_id state content_rev audience_hash asked_by asked_at asked_for decided_by decided_at decided_for reason',
  },
  deliveries: {
    parts: ['messages'],
    fields: {
      address: becomes('replaced', 'messages.address'),
      // It is there where a mail server said it in words.
      reason: becomes('cleared', 'messages.reason'),
      provider_ref: untold('cleared', 'by which the mail server finds a mail again'),
    },
    otherColumns:
      'id transmission_id organization_id user_id channel content_rev state attempt wave time_zone due_at lease_token lease_until handed_at last_code link_hash link_revoked_at link_revoked_reason accepted_at read_at created_at updated_at',
  },
  cards: {
    untold: 'how some of `messages` came to them',
    fields: { handed_by_name: of('handed_by', 'replaced', { untold: ofAnother }) },
    otherColumns:
      'delivery_id organization_id transmission_id user_id pin_hash tries_left devices_left handed_by handed_at',
  },
  delivery_events: {
    untold: 'reports of which `messages` has the outcome',
    otherColumns:
      'source event_id organization_id transmission_id delivery_id kind is_permanent about status at received_at',
  },
  delivery_attempts: {
    untold: 'tries of which `messages` has the outcome',
    fields: { response: becomes('cleared') },
    otherColumns: 'delivery_id n organization_id transmission_id started_at handed_at ended_at outcome code',
  },
  delivery_viewing: {
    parts: ['messages'],
    otherColumns:
      'transmission_id delivery_id organization_id opened_at first_play_at last_at coverage covered_ms watch_ms covered_at completed_at evidence',
  },
  mails: {
    untold: 'what `messages` has, as it left, and notices; deleted after 30 days',
    fields: {
      address: becomes('replaced'),
      subject: becomes('cleared'),
      text: becomes('cleared'),
      html: becomes('cleared'),
      headers: becomes('cleared'),
      last_error: becomes('cleared'),
    },
    otherColumns:
      'id organization_id delivery_id sender_name sender_address state attempt due_at created_at sent_at',
  },
  mail_attachments: {
    untold: 'goes with its mail',
    fields: { name: becomes('removed'), content: becomes('removed') },
    otherColumns: 'mail_id position organization_id type',
  },
  mail_server: {
    untold: 'of the installation',
    fields: {
      sender_address: { retained: 'the address that the installation writes from, of nobody in particular' },
      sender_name: { retained: 'the name that the installation writes under' },
      login: { retained: 'how the installation logs in to its mail server' },
    },
    otherColumns: 'id host port encryption password_sealed updated_at',
  },
  mail_senders: {
    untold: 'of the organization',
    fields: {
      address: { retained: 'the address that an organization writes from, of nobody in particular' },
    },
    otherColumns:
      'organization_id code_hash code_until tries_left verified_at spf dkim dmarc checked_at updated_at',
  },
  service_accounts: {
    untold: 'of the organization; that they made one is among their actions',
    fields: { name: { retained: 'what a system is called that calls here' } },
    otherColumns: 'id organization_id owner_id scopes networks created_by created_at updated_at revoked_at',
  },
  webhooks: {
    untold: 'of the organization',
    fields: {
      url: { retained: 'the address to which an organization has messages posted, of nobody in particular' },
    },
    otherColumns:
      'organization_id secret_sealed previous_sealed previous_until failures failing_since fault rests_until updated_at',
  },
  event_addresses: {
    untold: 'of the organization',
    fields: {
      url: { retained: 'the address to which an organization has events posted, of nobody in particular' },
    },
    otherColumns:
      'id organization_id types secret_sealed previous_sealed previous_until failures failing_since fault rests_until created_at updated_at',
  },
  events: {
    untold:
      'tells systems of the organization, for 90 days, what stands in the tables that it was taken from',
    goesWith: 'subject',
    fields: { data: becomes('removed') },
    otherColumns: 'id organization_id place type subject at due_at sorted_at',
  },
  event_posts: {
    untold: 'what became of the events about them at the systems of the organization, for 90 days',
    goesWith: 'subject',
    fields: { answer: becomes('removed') },
    otherColumns:
      'id organization_id address_id event_id subject place type state is_replay queued_at tries first_try_at last_try_at result status',
  },
  mail_returns: {
    untold: 'of the installation',
    fields: {
      address: { retained: 'to which mails come back' },
      login: { retained: 'how the installation logs in to that mailbox' },
    },
    otherColumns:
      'id host port encryption password_sealed folder uid_validity last_uid read_at fault failing_since taken left_alone updated_at',
  },
  suppressions: barred('id organization_id reason created_by created_at expires_at'),
  unsubscriptions: barred('id organization_id user_id created_by created_at'),
  notifications: {
    parts: ['notifications'],
    otherColumns: 'id organization_id user_id kind entity_id cause as_admin params created_at read_at',
  },
  operations: {
    untold: 'that they began one is among their actions',
    fields: {
      params: becomes('replaced'),
      created_by_name: of('created_by', 'replaced'),
      undone_by_name: of('undone_by', 'replaced'),
    },
    otherColumns:
      'id organization_id kind state total done counts undo_counts error created_by key_id started_at finished_at undo_until undone_at undone_by created_at updated_at',
  },
  recognitions: {
    untold: 'that they asked for it is among their actions',
    otherColumns:
      'id organization_id video_id version_id language may_replace state progress failure made_language made_cues asked_by created_at updated_at',
  },
  operation_rows: {
    untold: 'what became of them is in the log',
    fields: {
      label: becomes('replaced'),
      input: becomes('cleared'),
      before: becomes('cleared'),
      after: becomes('cleared'),
    },
    otherColumns: 'operation_id organization_id position entity entity_id group_id outcome reason undo',
  },
  imports: {
    untold: 'files of the organization, deleted with time',
    fields: { file_name: becomes('aged'), header: becomes('aged') },
    otherColumns: 'operation_id organization_id delimiter ragged ragged_rows mapping options',
  },
  import_rows: {
    untold: 'what became of them is in the log; deleted with time',
    fields: {
      label: becomes('aged'),
      email: becomes('aged'),
      external_id: becomes('aged'),
      changes: becomes('aged'),
    },
    otherColumns: 'operation_id organization_id position outcome reason user_id gives_role',
  },
  report_schedules: {
    parts: ['reportSchedules'],
    goesWith: 'owner_id',
    fields: { view: becomes('removed', 'reportSchedules.view') },
    otherColumns:
      'id organization_id owner_id report period rhythm weekday month_day hour time_zone formats state pause_reason next_at retry_at tries last_sent_at last_mail_id fault_at created_at updated_at',
  },
  report_addresses: {
    parts: ['reportSchedules'],
    goesWith: 'owner_id',
    // It may be the address of somebody else than the owner, and then it goes with that person too.
    fields: { address: becomes('removed', 'reportSchedules.addresses') },
    otherColumns: 'id schedule_id organization_id owner_id state decided_at created_at',
  },
  track_batches: {
    untold: 'what `sessions` was made of, as it came in',
    fields: { user_agent: becomes('evidence'), network: becomes('evidence'), claims: becomes('evidence') },
    otherColumns:
      'id received_at organization_id session_id video_id version_id batch elapsed_ms spans events state ended dropped capped folded',
  },
  play_sessions: {
    parts: ['sessions'],
    fields: {
      ...browser,
      said_by: becomes('evidence', 'sessions.saidBy'),
      signed_in_by: becomes('evidence', 'sessions.signedInBy'),
    },
    otherColumns:
      'id organization_id video_id version_id transmission_id delivery_id user_id viewer_key started_at zero_at last_at impression_ms duration_ms max_rate theta passes watch_ms wall_ms coverage position position_batch batches batches_seen batches_expected dropped ended flags run',
  },
  play_spans: {
    parts: ['sessions'],
    otherColumns: 'session_id i organization_id start_ms end_ms wall_ms rate flags began_ms seen_ms refused',
  },
  viewing_decisions: {
    parts: ['sessions'],
    fields: {
      reason: of('user_id', 'cleared', { file: 'sessions.countsBecause' }),
      decided_by_name: of('decided_by', 'replaced', { untold: ofAnother }),
    },
    otherColumns: 'session_id organization_id user_id decided_by decided_at',
  },
  play_events: {
    parts: ['sessions'],
    fields: { data: becomes('evidence', 'sessions.events') },
    otherColumns: 'session_id n organization_id type at_ms position_ms',
  },
  served_parts: {
    parts: ['sessions'],
    otherColumns:
      'session_id organization_id video_id version_id viewer_key parts requests bytes first_at last_at',
  },
  served_sessions: {
    untold: 'which process of the server had to do with `sessions`',
    otherColumns: 'session_id process_id organization_id since',
  },
  viewer_videos: {
    parts: ['videos'],
    otherColumns:
      'version_id viewer_key organization_id video_id user_id coverage covered_ms watch_ms plays first_at last_at position played_on covered_at evidence completed_at',
  },
  viewer_days: {
    untold: 'sums of `sessions`',
    otherColumns: 'organization_id day video_id viewer_key user_id sessions plays watch_ms wall_ms',
  },
  quiz_attempts: {
    parts: ['quizzes'],
    otherColumns:
      'id organization_id quiz_id version_id video_id viewer_key user_id transmission_id delivery_id session_id number seed started_at completed_at score max_score passed is_first took_ms',
  },
  quiz_answers: {
    parts: ['quizzes'],
    fields: { answer: becomes('evidence', 'quizzes.answers') },
    otherColumns: 'attempt_id item_id organization_id try score correct answered_at took_ms',
  },
  quiz_trials: {
    untold: 'what was tried in a preview, or by a program, and counts for nothing; deleted after a day',
    fields: { run: becomes('aged') },
    otherColumns: 'organization_id session_id changed_at',
  },
  quiz_attention: {
    untold: 'worked out from `sessions` and `quizzes`',
    otherColumns: 'video_id person item_id organization_id verdict until',
  },
  certificates: {
    parts: ['certificates'],
    fields: { body: of('user_id', 'cleared', { file: 'certificates.body' }) },
    otherColumns:
      'id organization_id number user_id video_id version_id issued_at issued_by body_hash previous_hash hash format key_id signature',
  },
  consents: { parts: ['consents'], otherColumns: 'organization_id viewer_key hash first_at' },
  evidence_erasures: {
    untold: 'that they were erased is in the log',
    otherColumns: 'id organization_id user_id asked_at asked_by done_at counts',
  },
  training_waivers: {
    parts: ['waivers'],
    fields: {
      reason: becomes('cleared', 'waivers.reason'),
      given_by_name: of('given_by', 'replaced', { file: 'waivers.by' }),
      ended_by_name: of('ended_by', 'replaced', { file: 'waivers.endedBy' }),
    },
    otherColumns: 'id organization_id user_id video_id until given_by given_at ended_at ended_by',
  },
  assignments: {
    untold: 'that they wrote one is among their actions',
    fields: { created_by_name: of('created_by', 'replaced') },
    otherColumns:
      'id organization_id name state version video_id audience requirement statement due validity counts_since reminders subject message created_by created_at started_at updated_at planned_at escalation waits_for message_id grows',
  },
  obligations: {
    parts: ['obligations'],
    fields: { reason: of('user_id', 'cleared', { file: 'obligations.reason' }) },
    otherColumns:
      'id organization_id assignment_id user_id video_id cycle state since counts_from due_at due_is_own ending waived_until done_at valid_until version_id coverage covered_ms covered_at counted messages last_message_at next_message_on updated_at owed_parts valid_at_most followed answers_from valid_day',
  },
  confirmations: {
    parts: ['obligations'],
    otherColumns: 'obligation_id organization_id user_id statement version_id delivery_id confirmed_at',
  },
  obligation_changes: {
    parts: ['obligations'],
    fields: {
      reason: becomes('cleared', 'obligations.decisions'),
      by_name: of('by_id', 'replaced', { file: 'obligations.decisions' }),
    },
    otherColumns: 'id organization_id assignment_id user_id action until by_id at',
  },
  escalation_digests: {
    untold: 'whom mails to them named',
    otherColumns: 'organization_id reader_id day named',
  },
  training_cells: {
    untold: 'worked out from `messages`, `videos`, `obligations` and `waivers`',
    otherColumns: 'organization_id user_id video_id bits late_at waived_until expires_at since',
  },
  past_training_cells: {
    untold: 'what `training_cells` were at the end of earlier days; goes with the viewing evidence',
    otherColumns: 'organization_id user_id video_id bits late_at waived_until expires_at since until',
  },
}
