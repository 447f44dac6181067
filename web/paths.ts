import type { LayoutPage } from '#contract/roles.ts'

/** Every address of the web app. No other file spells one out. */
export const paths = {
  home: () => '/',
  dashboard: () => '/dashboard',
  failedMails: () => '/dashboard/failed-mails',
  organizations: () => '/organizations',
  organizationCreate: () => '/organizations/create',
  organizationEdit: (orgId: string) => `/organizations/${orgId}/edit`,
  organizationDashboard: (orgId: string) => `/organizations/${orgId}/dashboard`,
  organizationSignIn: (orgId: string) => `/organizations/${orgId}/sign-in`,
  connectionCreate: (orgId: string | null) => `${connectionsOf(orgId)}/create`,
  connection: (orgId: string | null, connectionId: string) => `${connectionsOf(orgId)}/${connectionId}`,
  organizationInvite: (orgId: string) => `/organizations/${orgId}/invite`,
  superadminInvitations: () => '/organizations/invitations',
  superadminInvite: () => '/organizations/invite',
  systems: (orgId: string) => `/organizations/${orgId}/systems`,
  system: (orgId: string, eventAddressId: string) => `/organizations/${orgId}/systems/${eventAddressId}`,
  userCreate: (orgId: string) => `/organizations/${orgId}/users/create`,
  person: (orgId: string, userId: string) => `/organizations/${orgId}/users/${userId}`,
  evidence: (orgId: string, userId: string, videoId: string) =>
    `/organizations/${orgId}/users/${userId}/videos/${videoId}`,
  userImport: (orgId: string) => `/organizations/${orgId}/users/import`,
  userEdit: (orgId: string, userId: string) => `/organizations/${orgId}/users/${userId}/edit`,
  groupCreate: (orgId: string) => `/organizations/${orgId}/groups/create`,
  groupEdit: (orgId: string, groupId: string) => `/organizations/${orgId}/groups/${groupId}/edit`,
  content: () => '/content',
  video: (videoId: string) => `/content/${videoId}`,
  videoQuiz: (videoId: string) => `/content/${videoId}/quiz`,
  videoCaptions: (videoId: string, language: string) => `/content/${videoId}/captions/${language}`,
  videoViewing: (videoId: string) => `/content/${videoId}/viewing`,
  videoQuizResults: (videoId: string) => `/content/${videoId}/quiz/results`,
  transmissions: () => '/transmissions',
  transmissionCreate: () => '/transmissions/create',
  messageTemplates: () => '/transmissions/templates',
  barredAddresses: () => '/transmissions/barred-addresses',
  transmission: (transmissionId: string) => `/transmissions/${transmissionId}`,
  transmissionEdit: (transmissionId: string) => `/transmissions/${transmissionId}/edit`,
  assignments: () => '/assignments',
  assignmentCreate: () => '/assignments/create',
  assignment: (orgId: string, assignmentId: string) => `/assignments/${orgId}/${assignmentId}`,
  assignmentEdit: (orgId: string, assignmentId: string) => `/assignments/${orgId}/${assignmentId}/edit`,
  reportUserActivity: () => '/reports/account-user-activity',
  reportUserEngagement: () => '/reports/user-engagement',
  reportAccountActivity: () => '/reports/account-activity',
  reportMessageAnalytics: () => '/reports/message-analytics',
  reportQuizMetrics: () => '/reports/quiz-metrics',
  trainingMatrix: () => '/reports/training-matrix',
  reportSchedules: () => '/reports/schedules',
  inbox: () => '/messages',
  search: () => '/search',
  settings: () => '/settings',
  recentlyRemoved: () => '/recently-removed',
  operation: (operationId: string) => `/recently-removed/${operationId}`,
  layout: (page: LayoutPage) => `/layouts/${page}`,

  signIn: (from?: string) => withReturn('/auth-1/sign-in', from),
  signUp: () => '/auth-1/sign-up',
  resetPassword: () => '/auth-1/reset-password',
  successMail: () => '/auth-1/success-mail',
  confirm: () => '/auth-1/confirm',
  reportMails: () => '/auth-1/report-mails',
  newPassword: () => '/auth-1/new-password',
  loginPassword: () => '/auth-1/login-password',
  loginPin: () => '/auth-1/login-pin',
  twoFactor: () => '/auth-1/two-factor',
  lockScreen: (from?: string) => withReturn('/auth-1/lock-screen', from),
  deleteAccount: () => '/auth-1/delete-account',
  atProvider: (from?: string) => withReturn('/auth-1/sso', from),
  error: (status: 400 | 401 | 403 | 404 | 408 | 429 | 500) => `/error/${status}`,
  maintenance: () => '/maintenance',
  landing: () => '/landing',
  verify: () => '/verify',
} as const

/** Of an organization, or of the installation. */
const connectionsOf = (orgId: string | null) =>
  orgId === null ? '/settings/connections' : `/organizations/${orgId}/connections`

function withReturn(page: string, from: string | undefined): string {
  return from === undefined || returnAddress(from) === paths.dashboard()
    ? page
    : `${page}?return=${encodeURIComponent(from)}`
}

/** Where to go after signing in: an address of this console only, never another site or the auth pages themselves. */
export function returnAddress(wanted: string | null | undefined): string {
  const isOwn = wanted !== null && wanted !== undefined && /^\/(?![/\\])[^\\\s]*$/.test(wanted)
  return isOwn && wanted !== '/' && !/^\/(auth-1|error|api)(\/|$)/.test(wanted) ? wanted : '/dashboard'
}
