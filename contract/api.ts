import * as acceptance from './acceptance.ts'
import * as account from './account.ts'
import * as aside from './aside.ts'
import * as assignmentPreview from './assignment-preview.ts'
import * as assignments from './assignments.ts'
import * as attention from './alerts.ts'
import * as audience from './audience.ts'
import * as audit from './audit.ts'
import * as auth from './auth.ts'
import * as backup from './backup.ts'
import * as barredAddresses from './barred-addresses.ts'
import * as bulk from './bulk.ts'
import * as cards from './cards.ts'
import * as certificates from './certificates.ts'
import * as dashboard from './dashboard.ts'
import * as deliveries from './deliveries.ts'
import * as doctor from './doctor.ts'
import * as drafts from './drafts.ts'
import * as dueDay from './due-day.ts'
import type { EndpointDefinition, Schema } from './endpoint.ts'
import * as every from './endpoint.ts'
import * as evidence from './evidence.ts'
import * as exports from './exports.ts'
import * as factors from './factors.ts'
import * as devices from './devices.ts'
import * as fields from './fields.ts'
import * as groups from './groups.ts'
import * as inbox from './inbox.ts'
import * as imports from './imports.ts'
import * as invitations from './invitations.ts'
import * as leaving from './leaving.ts'
import * as links from './links.ts'
import * as mailEvents from './mail-events.ts'
import * as mailPreview from './mail-preview.ts'
import * as mailReturns from './mail-returns.ts'
import * as preflight from './preflight.ts'
import * as mailServer from './mail-server.ts'
import * as mailSigning from './mail-signing.ts'
import * as members from './members.ts'
import * as missed from './missed.ts'
import * as notifications from './notifications.ts'
import * as operations from './operations.ts'
import * as obligations from './obligations.ts'
import * as organizations from './organizations.ts'
import * as person from './person.ts'
import * as overview from './overview.ts'
import * as privacy from './privacy.ts'
import * as pictures from './pictures.ts'
import * as problemDetails from './problem-details.ts'
import * as quality from './quality.ts'
import * as quizResults from './quiz-results.ts'
import * as quizzes from './quizzes.ts'
import * as recordBulk from './record-bulk.ts'
import * as replacements from './replacements.ts'
import * as reportGround from './report-scope.ts'
import * as reportQuizzes from './report-quizzes.ts'
import * as reportSchedules from './report-schedules.ts'
import * as removedUsers from './removed-users.ts'
import * as reports from './reports.ts'
import * as rules from './rules.ts'
import * as search from './search.ts'
import * as security from './security.ts'
import * as senders from './senders.ts'
import * as sending from './sending.ts'
import * as sessions from './sessions.ts'
import * as setup from './setup.ts'
import * as system from './system.ts'
import * as templates from './templates.ts'
import * as together from './together.ts'
import * as tracks from './tracks.ts'
import * as training from './training.ts'
import * as transmissions from './transmissions.ts'
import * as upkeep from './upkeep.ts'
import * as users from './users.ts'
import * as videos from './videos.ts'
import * as viewAs from './view-as.ts'
import * as viewing from './viewing.ts'
import * as views from './views.ts'
import * as waivers from './waivers.ts'
import * as waves from './waves.ts'
import * as weave from './weave.ts'
import * as webhooks from './webhooks.ts'

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
  videos,
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
  sending,
  backup,
  deliveries,
  sessions,
  audit,
  system,
  together,
}

/** Files that only share schemas. */
const shared = [every, attention, devices, leaving, problemDetails, quality, rules, viewing]

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
