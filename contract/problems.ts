import * as z from 'zod/mini'

/** Every code that the API may answer with, its HTTP status, and one sentence for people. */
export const problems = {
  invalid_request: { status: 400, title: 'Something in the request is not valid.' },
  unauthenticated: { status: 401, title: 'Please sign in.' },
  invalid_credentials: { status: 401, title: 'The email or the password is not right.' },
  invalid_code: { status: 401, title: 'The code is not right.' },
  reauthentication_required: { status: 403, title: 'Please confirm that it is you.' },
  read_only: {
    status: 403,
    title: 'You are looking through the eyes of somebody else and cannot change anything.',
  },
  forbidden: { status: 403, title: 'Your role does not allow this.' },
  not_found: { status: 404, title: 'This does not exist, or it is not yours to see.' },
  method_not_allowed: { status: 405, title: 'This address does not accept that method.' },
  timeout: { status: 408, title: 'This took too long. Please try again.' },
  conflict: { status: 409, title: 'This is not possible in the present state.' },
  already_exists: { status: 409, title: 'This exists already.' },
  in_progress: { status: 409, title: 'The same request is still being worked on.' },
  evidence_pending: {
    status: 409,
    title: 'What was watched is still being checked. Try again in 15 seconds.',
  },
  evidence_too_weak: {
    status: 409,
    title: 'What is recorded is not founded well enough for a certificate: see the evidence.',
  },
  not_ready: { status: 409, title: 'The video is not ready yet.' },
  flow_expired: { status: 410, title: 'This step has expired. Please start again.' },
  link_expired: { status: 410, title: 'This link is no longer valid.' },
  link_ended: {
    status: 410,
    title: 'This personal link was taken back, or its person is not active any more.',
  },
  precondition_failed: { status: 412, title: 'Somebody else has changed this in the meantime.' },
  too_large: { status: 413, title: 'This is larger than allowed.' },
  unsupported_media: { status: 415, title: 'This kind of content is not supported.' },
  validation_failed: { status: 422, title: 'Please check the marked fields.' },
  unknown_field: { status: 422, title: 'The request names a field that is not known here.' },
  password_rejected: { status: 422, title: 'Please choose another password.' },
  idempotency_key_reused: { status: 422, title: 'This request was sent before with other content.' },
  no_recipients: { status: 422, title: 'There is nobody to send this to.' },
  session_locked: { status: 423, title: 'The session is locked. Please unlock it.' },
  too_many_requests: { status: 429, title: 'Too many requests. Please wait a moment.' },
  internal: { status: 500, title: 'Something went wrong on our side.' },
  unavailable: { status: 503, title: 'The service is not available right now. Please try again.' },
  storage_full: {
    status: 507,
    title: 'The disk of the server is full. Nothing was changed; please try again when there is room.',
  },
} as const satisfies Record<string, { status: number; title: string }>

export type ProblemCode = keyof typeof problems
const codes = Object.keys(problems) as [ProblemCode, ...ProblemCode[]]

/** What went wrong with one field, as codes with a sentence each. */
export const fieldProblems = {
  required: 'Please fill this in.',
  invalid: 'This is not valid.',
  invalid_email: 'This is not an email address.',
  too_short: 'This is too short.',
  too_long: 'This is too long.',
  too_small: 'This number is too small.',
  too_big: 'This number is too large.',
  unknown_field: 'This field is not known.',
  read_only_field: 'This field cannot be changed here.',
  invalid_number: 'This is not a number. Write it like 1250 or 12.5.',
  invalid_date: 'This is not a date. Write it like 2026-03-31.',
  not_a_choice: 'This is not one of the choices.',
  rule_group: 'Nobody is put into this group by hand: a rule says who is in it.',
  rule_circle: 'This group depends on the one that you are changing, so each would wait for the other.',
  field_in_use: 'The rule of a group asks about this.',
  taken: 'This is taken already.',
  not_allowed: 'This is not allowed for your role.',
  not_found: 'This does not exist.',
  not_ahead: 'This lies in the past.',
  password_too_short: 'Use at least 15 characters; a short sentence works well.',
  password_too_long: 'Use at most 256 characters.',
  password_too_common: 'This password is among the most common ones.',
  password_contains_identity: 'The password is nearly your name, your email or the product name.',
  password_same_as_current: 'This is the present password.',
  password_breached: 'This password has appeared in a data breach.',
  /** Why a link is no longer valid, told to whoever holds a real one. */
  invitation_expired: 'This invitation has expired.',
  invitation_revoked: 'This invitation was taken back.',
  invitation_used: 'This invitation was accepted already.',
  password_wrong: 'This is not your present password.',
  email_differs: 'This is not the address of your account.',
  password_mismatch: 'The two passwords differ.',
} as const satisfies Record<string, string>
export type FieldProblem = keyof typeof fieldProblems

/** RFC 9457 `application/problem+json`. */
export const Problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number(),
  code: z.enum(codes),
  detail: z.optional(z.string()),
  /** Field path (dots between levels) to what is wrong with it. */
  fields: z.optional(z.record(z.string(), z.array(z.string()))),
  /** Seconds to wait before another try. */
  retryAfter: z.optional(z.number()),
  requestId: z.optional(z.string()),
})
export type Problem = z.infer<typeof Problem>
