export type FaceStatus = 400 | 401 | 403 | 404 | 408 | 500
export type Face = { headline: string; sentence: string }

/** What the error pages say; shared by the console and the public pages. */
export const faces: Record<FaceStatus, Face> = {
  400: {
    headline: 'Bad Request',
    sentence: 'Something in the request is wrong. Please go back and try it another way.',
  },
  401: { headline: 'Unauthorized', sentence: 'Please sign in to see this page.' },
  403: { headline: 'Forbidden', sentence: 'Your role does not allow you to see this page.' },
  404: { headline: 'Page Not Found', sentence: 'This page does not exist, or it has moved.' },
  408: { headline: 'Request Timeout', sentence: 'This took too long. Please try again in a moment.' },
  500: {
    headline: 'Internal Server Error',
    sentence: 'Something went wrong on our side. Please try again later.',
  },
}

/** The face that fits a status of the API. */
export function faceOf(status: number | undefined): FaceStatus {
  if (status === 401 || status === 403 || status === 404 || status === 408) return status
  return status !== undefined && status >= 400 && status < 500 ? 400 : 500
}
