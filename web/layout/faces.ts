export type FaceStatus = 400 | 401 | 403 | 404 | 408 | 429 | 500
/** Besides those with an address: no connection, nothing to do but wait, no answer that makes sense, a page older than the server. */
export type FaceName = FaceStatus | 'maintenance' | 'offline' | 'wait' | 'unreadable' | 'updated'
export type Face = { headline: string; sentence: string }

/** What the error pages say; shared by the console and the public pages. */
export const faces: Record<FaceStatus | 'maintenance', Face> = {
  400: {
    headline: 'Bad Request',
    sentence: 'Something in the request is wrong. Please go back and try it another way.',
  },
  401: { headline: 'Unauthorized Access', sentence: 'This page is for people who have signed in.' },
  403: {
    headline: 'Forbidden',
    sentence:
      'Your role does not allow you to see this page. An administrator of your organization can change that.',
  },
  404: {
    headline: 'Page Not Found',
    sentence:
      'This page does not exist, or it has moved. The address may have been cut off on its way to you.',
  },
  408: {
    headline: 'Request Timeout',
    sentence: 'This took too long, and was given up. Please try again in a moment.',
  },
  429: {
    headline: 'Please Wait',
    sentence: 'There were too many requests from your network at once. Please wait a minute, then try again.',
  },
  500: {
    headline: 'Internal Server Error',
    sentence: 'Something went wrong on our side. What you have saved is safe; please try again.',
  },
  maintenance: {
    headline: 'Site Under Maintenance',
    sentence:
      'Scheduled work is going on, and everything will be back soon. Nothing that you have saved is lost.',
  },
}

/** The face that fits a status of the API. */
export function faceOf(status: number | undefined): FaceStatus {
  if (status === 401 || status === 403 || status === 404 || status === 408) return status
  return status !== undefined && status >= 400 && status < 500 ? 400 : 500
}
