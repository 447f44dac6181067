import * as acceptance from './identity/acceptance.ts'
import * as account from './identity/account.ts'
import * as aside from './platform/aside.ts'
import * as assignmentPreview from './assignments/assignment-preview.ts'
import * as assignments from './assignments/assignments.ts'
import * as attention from './platform/alerts.ts'
import * as audience from './audience/audience.ts'
import * as audit from './platform/audit.ts'
import * as auth from './identity/auth.ts'
import * as backup from './backup.ts'
import * as barredAddresses from './transmissions/barred-addresses.ts'
import * as bulk from './directory/bulk.ts'
import * as captions from './videos/captions.ts'
import * as speech from './videos/speech.ts'
import * as speechModel from './videos/speech-model.ts'
import * as cues from './videos/cues.ts'
import * as cards from './cards.ts'
import * as certificates from './evidence/certificates.ts'
import * as dashboard from './dashboard.ts'
import * as deliveries from './transmissions/deliveries.ts'
import * as doctor from './doctor/doctor.ts'
import * as drafts from './transmissions/drafts.ts'
import * as dueDay from './duty/due-day.ts'
import type { EndpointDefinition, Schema } from './endpoint.ts'
import * as eventAddresses from './events/event-addresses.ts'
import * as eventTypes from './events/event-types.ts'
import * as every from './endpoint.ts'
import * as evidence from './evidence/evidence.ts'
import * as exports from './platform/exports.ts'
import * as factors from './identity/factors.ts'
import * as devices from './platform/devices.ts'
import * as fields from './directory/fields.ts'
import * as groups from './directory/groups.ts'
import * as inbox from './inbox.ts'
import * as imports from './imports/imports.ts'
import * as invitations from './directory/invitations.ts'
import * as leaving from './transmissions/leaving.ts'
import * as links from './transmissions/links.ts'
import * as mailEvents from './transmissions/mail-events.ts'
import * as mailPreview from './identity/mail-preview.ts'
import * as mailReturns from './identity/mail-returns.ts'
import * as preflight from './transmissions/preflight.ts'
import * as mailServer from './identity/mail-server.ts'
import * as mailSigning from './identity/mail-signing.ts'
import * as members from './directory/members.ts'
import * as missed from './person/missed.ts'
import * as notifications from './notifications/notifications.ts'
import * as operations from './operations.ts'
import * as obligations from './duty/obligations.ts'
import * as organizations from './directory/organizations.ts'
import * as person from './person/person.ts'
import * as overview from './directory/overview.ts'
import * as privacy from './evidence/privacy.ts'
import * as pictures from './directory/pictures.ts'
import * as problemDetails from './platform/problem-details.ts'
import * as quality from './tracking/quality.ts'
import * as quizResults from './quizzes/quiz-results.ts'
import * as quizzes from './quizzes/quizzes.ts'
import * as chapters from './videos/chapters.ts'
import * as posters from './videos/posters.ts'
import * as recordBulk from './videos/record-bulk.ts'
import * as replacements from './videos/replacements.ts'
import * as reportGround from './reports/report-scope.ts'
import * as reportQuizzes from './reports/report-quizzes.ts'
import * as reportSchedules from './reports/report-schedules.ts'
import * as removedUsers from './directory/removed-users.ts'
import * as reports from './reports/reports.ts'
import * as rules from './directory/rules.ts'
import * as search from './search.ts'
import * as security from './identity/security.ts'
import * as senders from './identity/senders.ts'
import * as sending from './transmissions/sending.ts'
import * as sessions from './identity/sessions.ts'
import * as serviceAccounts from './service-accounts.ts'
import * as setup from './identity/setup.ts'
import * as signInDomains from './identity/sign-in-domains.ts'
import * as sso from './identity/sso.ts'
import * as ssoSignIn from './identity/sso-sign-in.ts'
import * as system from './platform/system.ts'
import * as templates from './transmissions/templates.ts'
import * as together from './platform/together.ts'
import * as tracks from './tracking/tracks.ts'
import * as training from './matrix/training.ts'
import * as transmissions from './transmissions/transmissions.ts'
import * as upkeep from './platform/upkeep.ts'
import * as users from './directory/users.ts'
import * as videoTags from './videos/tags.ts'
import * as videos from './videos/videos.ts'
import * as viewAs from './identity/view-as.ts'
import * as viewing from './tracking/viewing.ts'
import * as views from './directory/views.ts'
import * as waivers from './duty/waivers.ts'
import * as waves from './transmissions/waves.ts'
import * as weave from './audience/weave.ts'
import * as webhooks from './transmissions/webhooks.ts'

/** The files with endpoints. Their names are the tags of the API's description. */
const rooms: Record<string, object> = {
  auth,
  setup,
  viewAs,
  acceptance,
  factors,
  account,
  organizations,
  users,
  overview,
  dashboard,
  pictures,
  groups,
  members,
  missed,
  fields,
  invitations,
  imports,
  notifications,
  operations,
  person,
  privacy,
  exports,
  bulk,
  recordBulk,
  views,
  replacements,
  captions,
  speech,
  speechModel,
  cues,
  videos,
  videoTags,
  chapters,
  posters,
  audience,
  weave,
  tracks,
  evidence,
  certificates,
  transmissions,
  drafts,
  dueDay,
  waves,
  barredAddresses,
  links,
  mailEvents,
  mailPreview,
  preflight,
  templates,
  quizzes,
  quizResults,
  removedUsers,
  reports,
  reportQuizzes,
  reportGround,
  reportSchedules,
  training,
  waivers,
  aside,
  assignmentPreview,
  assignments,
  obligations,
  cards,
  inbox,
  search,
  security,
  mailReturns,
  mailServer,
  mailSigning,
  upkeep,
  doctor,
  senders,
  webhooks,
  eventAddresses,
  sending,
  backup,
  deliveries,
  sessions,
  serviceAccounts,
  sso,
  signInDomains,
  ssoSignIn,
  audit,
  system,
  together,
}

/** Files that only share schemas. */
const shared = [every, attention, devices, eventTypes, leaving, problemDetails, quality, rules, viewing]

function isEndpoint(value: unknown): value is EndpointDefinition {
  return typeof value === 'object' && value !== null && 'access' in value && 'reply' in value
}

/** Every endpoint of the product with its room, for its description. */
export const endpointsByRoom: readonly (readonly [room: string, endpoints: readonly EndpointDefinition[]])[] =
  Object.entries(rooms).map(([room, file]) => [room, Object.values<unknown>({ ...file }).filter(isEndpoint)])

/** Every endpoint of the product, for mounting, OpenAPI and the tests that are generated from it. */
export const api: readonly EndpointDefinition[] = endpointsByRoom.flatMap(([, endpoints]) => endpoints)

function isSchema(entry: [string, unknown]): entry is [string, Schema] {
  return typeof entry[1] === 'object' && entry[1] !== null && '_zod' in entry[1]
}

/** Every schema by the name that it is exported under. */
export const schemas: readonly (readonly [name: string, schema: Schema])[] = [
  ...Object.values(rooms),
  ...shared,
].flatMap((file) => Object.entries<unknown>({ ...file }).filter(isSchema))
