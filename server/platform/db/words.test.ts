import { expect, test } from 'vitest'
import { alertKinds } from '#contract/platform/alerts.ts'
import { asideNames } from '#contract/platform/aside.ts'
import {
  assignmentStates,
  endings,
  obligationChanges,
  obligationMessages,
  requirements,
} from '#contract/assignments/assignments.ts'
import { channels } from '#contract/cards.ts'
import { backupSteps, checkRhythms } from '#contract/backup.ts'
import { refusals } from '#contract/evidence/evidence.ts'
import { fieldTypes } from '#contract/directory/fields.ts'
import { fileFormats } from '#contract/platform/file-formats.ts'
import { groupKinds } from '#contract/directory/groups.ts'
import { delimiters } from '#contract/imports/imports.ts'
import { invitationStates } from '#contract/directory/invitations.ts'
import {
  deliveryEventSources,
  mailEventKinds,
  mailEventSources,
} from '#contract/transmissions/mail-events.ts'
import { mailReturnFaults } from '#contract/identity/mail-returns.ts'
import { dkimStates, dmarcStates, spfStates } from '#contract/identity/mail-signing.ts'
import { mailEncryptions } from '#contract/identity/mail-server.ts'
import { languages } from '#contract/platform/text/languages.ts'
import { membershipCauses } from '#contract/directory/membership.ts'
import { notificationKinds } from '#contract/notifications/notifications.ts'
import { operationKinds, operationStates, rowOutcomes, undoOutcomes } from '#contract/operations.ts'
import { organizationStates } from '#contract/directory/organizations.ts'
import { membershipChanges } from '#contract/person/person.ts'
import { questionKinds } from '#contract/quizzes/quizzes.ts'
import {
  addressStates,
  reportNames,
  schedulePeriods,
  rhythms,
  pauseReasons,
} from '#contract/reports/report-schedules.ts'
import { roles } from '#contract/roles.ts'
import { keyScopes } from '#contract/scopes.ts'
import { holdSigns } from '#contract/transmissions/sending.ts'
import { transmissionReasons } from '#contract/transmissions/transmission-reasons.ts'
import { approvalStates } from '#contract/transmissions/approvals.ts'
import { transmissionStates, deliveryStates } from '#contract/transmissions/transmissions.ts'
import { userStates, listUsers } from '#contract/directory/users.ts'
import { captionFormats } from '#contract/videos/captions.ts'
import { recognitionFailures, recognitionStates } from '#contract/videos/speech.ts'
import { captionKinds } from '#contract/videos/shown-captions.ts'
import { videoStates, failureCodes, videoPrivacies } from '#contract/videos/videos.ts'
import { viewedLists } from '#contract/directory/views.ts'
import { eventPostStates } from '#contract/events/event-addresses.ts'
import { eventTypes } from '#contract/events/event-types.ts'
import { webhookFaults, webhookResults } from '#contract/transmissions/webhooks.ts'
import { domainFindings, signInPolicies } from '#contract/identity/sign-in-domains.ts'
import { connectionKinds, grantedRoles, secondSteps } from '#contract/identity/sso.ts'
import { flowPurposes } from '../../identity/flows.ts'
import { endReasons } from '../../identity/session.ts'
import { counters } from '../../directory/organizations/counts.ts'
import { aServer, anOrganization } from '../../testing/worlds.ts'

/** Columns that hold one of a few words which the program lists, or several of them. */
const listed: Record<string, readonly string[]> = {
  'videos.state': videoStates,
  'videos.failure': failureCodes,
  'videos.privacy': videoPrivacies,
  'video_versions.failure': failureCodes,
  'speech_models.state': ['arriving', 'ready'],
  'speech_models.store': ['folder', 's3'],
  'recognitions.state': recognitionStates,
  'recognitions.failure': recognitionFailures,
  'captions.kind': captionKinds,
  'captions.format': captionFormats,
  'sessions.end_reason': endReasons,
  'flows.purpose': flowPurposes,
  'sign_in_connections.kind': connectionKinds,
  'sign_in_connections.grants': grantedRoles,
  'sign_in_connections.second_step': secondSteps,
  'sign_in_domains.finding': domainFindings,
  'sign_in_policies.sign_in': signInPolicies,
  'invitations.role': roles,
  'invitations.state': invitationStates,
  'notifications.kind': notificationKinds,
  'operations.kind': operationKinds,
  'operations.state': operationStates,
  'operation_rows.outcome': rowOutcomes,
  'operation_rows.undo': undoOutcomes,
  'imports.delimiter': delimiters,
  'import_rows.outcome': rowOutcomes,
  'organizations.state': organizationStates,
  'organizations.language': languages,
  'users.language': languages,
  'users.role': roles,
  'users.state': [...userStates, 'deleted'],
  'groups.kind': groupKinds,
  'membership_log.change': membershipChanges,
  'membership_log.cause': membershipCauses,
  'custom_fields.type': fieldTypes,
  'saved_views.list': viewedLists,
  'hidden_attention.kind': alertKinds,
  'set_aside.loop': asideNames,
  'service_accounts.scopes': keyScopes,
  'quiz_items.kind': questionKinds,
  'report_schedules.report': reportNames,
  'report_schedules.period': schedulePeriods,
  'report_schedules.rhythm': rhythms,
  'report_schedules.formats': fileFormats,
  'report_schedules.pause_reason': pauseReasons,
  'report_addresses.state': addressStates,
  'transmissions.state': transmissionStates,
  'transmissions.state_reason': transmissionReasons,
  'transmission_approvals.state': approvalStates,
  'deliveries.state': deliveryStates,
  'deliveries.channel': channels,
  'transmission_counts.state': deliveryStates,
  'count_changes.counted': counters,
  'sending_guard.signs': holdSigns,
  'backup_plan.step': backupSteps,
  'backup_plan.check_every': checkRhythms,
  'mail_server.encryption': mailEncryptions,
  'mail_returns.encryption': mailEncryptions,
  'mail_returns.fault': mailReturnFaults,
  'mail_senders.spf': spfStates,
  'mail_senders.dkim': dkimStates,
  'mail_senders.dmarc': dmarcStates,
  'webhooks.fault': webhookFaults,
  'event_addresses.types': eventTypes,
  'event_addresses.fault': webhookFaults,
  'events.type': eventTypes,
  'event_posts.state': eventPostStates,
  'event_posts.result': webhookResults,
  'delivery_events.source': deliveryEventSources,
  'delivery_events.kind': mailEventKinds,
  'mail_event_sources.source': mailEventSources,
  'play_spans.refused': refusals,
  'assignments.state': assignmentStates,
  'assignments.requirement': requirements,
  'obligations.state': ['open', 'done', 'waived', 'ended'],
  'obligations.ending': endings,
  'obligation_changes.action': obligationChanges,
  'obligation_messages.kind': obligationMessages,
}

const server = await aServer()

/** What the database itself says about its columns. */
async function storedWords(): Promise<Map<string, string>> {
  const { rows } = await server.services.db.system.query<{ place: string; condition: string }>(
    `select c.table_name || '.' || c.column_name as place, pg_get_constraintdef(k.oid) as condition
      from information_schema.columns c
      join pg_constraint k on k.contype = 'c' and k.conrelid = c.table_name::regclass and k.conkey = array[c.ordinal_position::int2]
      where c.table_schema = 'public' and k.conname = c.table_name || '_' || c.column_name || '_word'`,
  )
  return new Map(rows.map(({ place, condition }) => [place, condition]))
}

test.each(Object.entries(listed))('%s takes its words and no others', async (place, words) => {
  const condition = (await storedWords()).get(place) ?? ''
  const found = Array.from(condition.matchAll(/'([^']*)'::text/g), ([, word]) => word)
  expect(new Set(found)).toEqual(new Set(words))
})

test('nobody gets a state that the list of people could not show', async () => {
  const { orgId: organizationId, admin: person } = await anOrganization(server)
  const write = server.services.db.system.query(`update users set state = 'asleep' where id = $1`, [
    person.id,
  ])
  await expect(write).rejects.toMatchObject({ code: '23514', constraint: 'users_state_word' })
  const list = await person.call(listUsers, { params: { orgId: organizationId } })
  expect(list.status).toBe(200)
})
