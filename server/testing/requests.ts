import { defaultQuizSettings } from '#contract/quizzes.ts'
import { defaultSecurity } from '#contract/security.ts'
import { unique } from './unique.ts'

/** One of everything in an organization; every id is real. */
export type Facts = Record<
  | 'orgId'
  | 'userId'
  | 'adminId'
  | 'sessionId'
  | 'groupId'
  | 'fieldId'
  | 'removedFieldId'
  | 'projectId'
  | 'videoId'
  | 'versionId'
  | 'transmissionId'
  | 'deliveryId'
  | 'invitationId'
  | 'operationId'
  | 'viewId'
  | 'importId'
  | 'playId'
  | 'certificateId'
  | 'quizVersionId'
  | 'quizItemId'
  | 'attemptId'
  | 'scheduleId',
  string
>
export type Input = {
  params?: Record<string, string>
  query?: Record<string, string>
  body?: object
  headers?: Record<string, string>
}
export type Sample = (facts: Facts) => Input

const name = 'A new name'
const organization: Sample = ({ orgId }) => ({ params: { orgId } })
const user: Sample = ({ orgId, userId }) => ({ params: { orgId, userId } })
const group: Sample = ({ orgId, groupId }) => ({ params: { orgId, groupId } })
const field: Sample = ({ orgId, fieldId }) => ({ params: { orgId, fieldId } })
const project: Sample = ({ projectId }) => ({ params: { projectId } })
const video: Sample = ({ videoId }) => ({ params: { videoId } })
const transmission: Sample = ({ transmissionId }) => ({ params: { transmissionId } })
const cell: Sample = ({ orgId, userId, videoId }) => ({ params: { orgId, userId, videoId } })
const waivers =
  (action: object): Sample =>
  ({ orgId, userId, videoId }) => ({
    params: { orgId },
    body: { userIds: [userId], videoIds: [videoId], ...action },
  })
const report: Sample = ({ orgId }) => ({ query: { organizationId: orgId } })
const invitation: Sample = ({ invitationId }) => ({ params: { invitationId } })
const operation: Sample = ({ operationId }) => ({ params: { operationId } })
const view: Sample = ({ viewId }) => ({ params: { viewId } })
const schedule: Sample = ({ scheduleId }) => ({ params: { scheduleId } })
const imported: Sample = ({ orgId, importId }) => ({ params: { orgId, importId } })
const timing = { rhythm: 'monthly', monthDay: 31, hour: 6, period: 'month', formats: [] }
const email = () => `${unique()}@example.test`
const nothing: Sample = () => ({})
/** One pixel. */
const picture = {
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
}
const withBody =
  (sample: Sample, body: (facts: Facts) => object): Sample =>
  (facts) => ({ ...sample(facts), body: body(facts) })

/** A valid request to every endpoint that needs a role. A new endpoint without an entry fails the first test. */
export const samples: Record<string, Sample> = {
  logout: nothing,
  readSession: nothing,
  lockSession: nothing,
  viewAs: ({ adminId }) => ({ body: { userId: adminId, reason: 'Asked for help' } }),
  stopImpersonating: nothing,
  listAudit: nothing,
  exportAudit: nothing,
  readAuditHead: nothing,
  listSessions: nothing,
  endOwnSession: ({ sessionId }) => ({ params: { sessionId } }),
  endOtherSessions: nothing,
  listUserSessions: user,
  endUserSessions: withBody(user, () => ({})),
  endOrganizationSessions: organization,
  readFactors: nothing,
  removeTotp: nothing,
  renewRecoveryCodes: nothing,
  renamePasskey: () => ({ params: { passkeyId: crypto.randomUUID() }, body: { name } }),
  removePasskey: () => ({ params: { passkeyId: crypto.randomUUID() } }),
  resetFactors: withBody(user, () => ({ reason: 'lost the phone' })),
  readAccount: nothing,
  updateAccount: () => ({ body: { name, phone: null } }),
  changePassword: () => ({ body: { currentPassword: name, password: name } }),
  changeEmail: nothing,
  deleteAccount: () => ({ body: { email: email() } }),
  readSecurity: nothing,
  readMailServer: nothing,
  readStorage: nothing,
  readJobs: nothing,
  retryJob: () => ({ params: { jobId: crypto.randomUUID() } }),
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
  removeMailServer: nothing,
  sendTestMail: () => ({ body: {} }),
  updateSecurity: () => ({ body: defaultSecurity }),
  listOrganizations: nothing,
  createOrganization: () => ({ body: { name } }),
  readOrganization: organization,
  updateOrganization: withBody(organization, () => ({ name })),
  updateOrganizationSettings: withBody(organization, () => ({ name })),
  changeOrganizationState: withBody(organization, () => ({ state: 'active' })),
  deleteOrganization: organization,
  readOrganizationDashboard: organization,
  readOrganizationOverview: organization,
  readDashboard: nothing,
  readDashboardFigures: report,
  readDashboardWork: report,
  listFailedMails: report,
  readDashboardAlerts: report,
  hideAlert: ({ orgId }) => ({
    params: { kind: 'failed_mails' },
    body: { organizationId: orgId, days: 7 },
  }),
  showAlert: ({ orgId }) => ({ params: { kind: 'failed_mails' }, query: { organizationId: orgId } }),
  readInstallation: nothing,
  listUsers: organization,
  createUser: withBody(organization, ({ groupId }) => ({ name, email: email(), groupIds: [groupId] })),
  readUser: user,
  updateUser: withBody(user, () => ({ name, email: email() })),
  deleteUser: user,
  readRemoval: user,
  changeUsers: withBody(organization, ({ userId, groupId }) => ({
    selection: { userIds: [userId] },
    do: { action: 'add_to_group', groupId },
  })),
  previewUsers: withBody(organization, ({ userId, groupId }) => ({
    selection: { userIds: [userId] },
    do: { action: 'add_to_group', groupId },
  })),
  changeGroups: withBody(organization, ({ groupId }) => ({
    selection: { ids: [groupId] },
    do: { action: 'remove' },
  })),
  previewGroups: withBody(organization, ({ groupId }) => ({
    selection: { ids: [groupId] },
    do: { action: 'remove' },
  })),
  changeVideos: withBody(organization, ({ videoId }) => ({
    selection: { ids: [videoId] },
    do: { action: 'change', privacy: 'private' },
  })),
  previewVideos: withBody(organization, ({ videoId }) => ({
    selection: { ids: [videoId] },
    do: { action: 'remove' },
  })),
  changeTransmissions: withBody(organization, ({ transmissionId }) => ({
    selection: { ids: [transmissionId] },
    do: { action: 'cancel' },
  })),
  previewTransmissions: withBody(organization, ({ transmissionId }) => ({
    selection: { ids: [transmissionId] },
    do: { action: 'cancel' },
  })),
  changeOperations: ({ operationId }) => ({ body: { selection: { ids: [operationId] }, action: 'undo' } }),
  previewOperations: ({ operationId }) => ({ body: { selection: { ids: [operationId] }, action: 'undo' } }),
  exportVideos: ({ orgId, videoId }) => ({ body: { filter: { organizationId: orgId }, ids: [videoId] } }),
  exportTransmissions: ({ orgId, transmissionId }) => ({
    body: { filter: { organizationId: orgId }, ids: [transmissionId] },
  }),
  changeOrganizations: ({ orgId }) => ({ body: { selection: { ids: [orgId] }, do: { action: 'remove' } } }),
  previewOrganizations: ({ orgId }) => ({ body: { selection: { ids: [orgId] }, do: { action: 'remove' } } }),
  sendReset: user,
  unlockUser: user,
  listPersonHistory: user,
  readPersonAccess: user,
  listEvidence: user,
  readEvidence: ({ orgId, userId, videoId }) => ({ params: { orgId, userId, videoId } }),
  readEvidenceSession: ({ orgId, userId, videoId, playId }) => ({
    params: { orgId, userId, videoId, sessionId: playId },
  }),
  issueCertificate: withBody(user, ({ videoId }) => ({ videoId })),
  listCertificates: user,
  listCertifiable: user,
  downloadCertificate: ({ orgId, userId, certificateId }) => ({
    params: { orgId, userId, certificateId },
    query: { format: 'json' },
  }),
  explainVisibility: ({ orgId, userId, groupId }) => ({
    params: { orgId, userId },
    query: { about: 'group', id: groupId },
  }),
  readRetention: organization,
  exportEvidence: organization,
  exportPersonData: user,
  readErasure: user,
  eraseEvidence: withBody(user, () => ({ when: 'now' })),
  keepEvidence: user,
  putLogo: withBody(organization, () => picture),
  deleteLogo: organization,
  putAvatar: withBody(user, () => picture),
  deleteAvatar: user,
  putOwnAvatar: () => ({ body: picture }),
  deleteOwnAvatar: nothing,
  listGroups: organization,
  createGroup: withBody(organization, () => ({ name })),
  readGroup: group,
  updateGroup: withBody(group, () => ({ name })),
  deleteGroup: group,
  addGroupUsers: withBody(group, ({ userId }) => ({ userIds: [userId] })),
  removeGroupUser: ({ orgId, groupId, userId }) => ({ params: { orgId, groupId, userId } }),
  listFields: organization,
  listRemovedFields: organization,
  createField: withBody(organization, () => ({ label: crypto.randomUUID(), type: 'text' })),
  readField: field,
  updateField: withBody(field, () => ({ label: 'Another label' })),
  orderFields: withBody(organization, ({ fieldId }) => ({ fieldIds: [fieldId] })),
  deleteField: field,
  restoreField: ({ orgId, removedFieldId }) => ({ params: { orgId, fieldId: removedFieldId } }),
  listMembers: group,
  matchMembers: withBody(group, () => ({ text: 'nobody@example.test' })),
  addNewMembers: withBody(group, () => ({ people: [{ email: email() }] })),
  setGroupadmin: ({ orgId, groupId, userId }) => ({
    params: { orgId, groupId, userId },
    body: { groupadmin: false },
  }),
  readGroupHistory: group,
  previewRule: withBody(organization, ({ groupId }) => ({
    rule: { match: 'all', conditions: [{ about: 'group', is: 'one_of', values: [groupId] }] },
  })),
  listInvitations: ({ orgId }) => ({ query: { organizationId: orgId } }),
  createInvitation: ({ orgId, groupId }) => ({
    body: { organizationId: orgId, email: email(), role: 'groupadmin', groupIds: [groupId] },
  }),
  inviteMany: ({ orgId, groupId }) => ({
    body: { organizationId: orgId, addresses: email(), role: 'groupadmin', groupIds: [groupId] },
  }),
  resendInvitation: invitation,
  revokeInvitation: invitation,
  listOperations: ({ orgId }) => ({ query: { organizationId: orgId } }),
  readOperation: operation,
  listOperationRows: operation,
  cancelOperation: operation,
  undoOperation: operation,
  listViews: ({ orgId }) => ({ query: { organizationId: orgId, list: 'users' } }),
  createView: ({ orgId }) => ({
    body: { organizationId: orgId, list: 'users', name: `View ${crypto.randomUUID()}`, search: { q: 'a' } },
  }),
  updateView: withBody(view, () => ({ name })),
  deleteView: view,
  createImport: withBody(organization, () => ({
    fileName: 'people.csv',
    content: 'name,email\nAda,a@b.test\n',
  })),
  readImport: imported,
  updateImport: withBody(imported, () => ({ mapping: { 0: 'name' }, options: {} })),
  rehearseImport: imported,
  startImport: imported,
  listImportRows: imported,
  exportImportRows: imported,
  exportUsers: organization,
  listProjects: ({ orgId }) => ({ query: { organizationId: orgId } }),
  createProject: ({ orgId, projectId }) => ({ body: { name, organizationId: orgId, parentId: projectId } }),
  readProject: project,
  updateProject: withBody(project, () => ({ name })),
  deleteProject: project,
  listVideos: ({ orgId, projectId }) => ({ query: { organizationId: orgId, projectId } }),
  searchVideos: ({ orgId }) => ({ query: { organizationId: orgId, keyword: 'sample' } }),
  createVideo: ({ orgId, projectId }) => ({
    body: { title: name, fileName: 'a.mp4', size: 10, organizationId: orgId, projectId },
  }),
  readVideo: video,
  readAudience: video,
  listViewers: video,
  listWatching: video,
  startPreview: video,
  updateVideo: withBody(video, () => ({ title: name })),
  retryVideo: video,
  deleteVideo: video,
  readQuiz: video,
  saveQuiz: withBody(video, () => ({ settings: defaultQuizSettings, questions: [] })),
  publishQuiz: video,
  readQuizVersion: ({ videoId, quizVersionId: versionId }) => ({ params: { videoId, versionId } }),
  withdrawQuiz: video,
  tryQuiz: video,
  listTransmissions: ({ orgId }) => ({ query: { organizationId: orgId } }),
  createTransmission: ({ orgId, videoId, userId }) => ({
    body: { body: 'Please watch', accountId: orgId, videoId, userId },
  }),
  previewAudience: ({ orgId, userId, groupId }) => ({
    body: { accountId: orgId, audience: { userIds: [userId], groupIds: [groupId], everyone: true } },
  }),
  previewMail: ({ orgId, videoId }) => ({ body: { body: 'Please watch', accountId: orgId, videoId } }),
  readTransmission: transmission,
  readTransmissionPlan: transmission,
  editTransmission: withBody(transmission, ({ videoId, userId }) => ({
    version: 1,
    body: 'Please watch',
    videoId,
    audience: { userIds: [userId] },
  })),
  listDeliveries: transmission,
  exportDeliveries: withBody(transmission, () => ({})),
  resolveDeliveries: withBody(transmission, () => ({ decision: 'treat_as_failed', expected: 1 })),
  readSending: nothing,
  releaseSending: () => ({ body: { answer: 'only_off' } }),
  setDueDay: withBody(transmission, () => ({ dueAt: null })),
  changeTransmission: withBody(transmission, () => ({ action: 'pause', version: 1 })),
  listBarredAddresses: organization,
  barAddress: withBody(organization, () => ({ address: email(), reason: 'They asked for it.' })),
  liftBar: withBody(organization, () => ({ address: email() })),
  revokeLink: ({ transmissionId, deliveryId }) => ({
    params: { transmissionId, deliveryId },
    body: { reason: 'It was passed on.' },
  }),
  resolveDelivery: ({ transmissionId, deliveryId }) => ({
    params: { transmissionId, deliveryId },
    body: { decision: 'treat_as_failed' },
  }),
  listReportChoices: ({ orgId }) => ({ query: { organizationId: orgId, of: 'video' } }),
  reportUserActivity: report,
  listUserActivity: report,
  exportUserActivity: report,
  reportUserEngagement: report,
  listVideoEngagement: report,
  exportVideoEngagement: report,
  reportAccountActivity: report,
  listAccountActivity: report,
  exportAccountActivity: report,
  reportMessages: report,
  listMessageReports: report,
  exportMessageReports: report,
  reportQuizMetrics: report,
  listQuizMetrics: report,
  exportQuizMetrics: report,
  listReportSchedules: nothing,
  planReportSchedule: ({ orgId }) => ({
    query: { organizationId: orgId, rhythm: 'weekly', hour: '7', period: '7d' },
  }),
  readReportSchedule: schedule,
  createReportSchedule: ({ orgId }) => ({
    body: { report: 'user-engagement', view: { organizationId: orgId }, ...timing },
  }),
  updateReportSchedule: withBody(schedule, () => timing),
  pauseReportSchedule: schedule,
  resumeReportSchedule: schedule,
  sendReportSchedule: schedule,
  deleteReportSchedule: schedule,
  readTraining: organization,
  listTraining: organization,
  exportTraining: organization,
  readTrainingCell: cell,
  waiveTraining: withBody(cell, () => ({ reason: 'Watched it elsewhere' })),
  endWaiver: cell,
  changeWaivers: waivers({ do: { action: 'end' } }),
  previewWaivers: waivers({ action: 'end' }),
  readQuizResults: video,
  readWatchedBeforeAnswer: ({ videoId, quizItemId: itemId }) => ({ params: { videoId, itemId } }),
  listQuizPeople: video,
  readQuizAttempt: ({ videoId, attemptId }) => ({ params: { videoId, attemptId } }),
  exportQuizResults: video,
  search: () => ({ query: { q: 'of A' } }),
  listNotifications: nothing,
  watchNotifications: nothing,
  readNotification: () => ({ params: { notificationId: crypto.randomUUID() } }),
  readNotifications: () => ({ body: { newestId: crypto.randomUUID() } }),
  listOutbox: nothing,
}
