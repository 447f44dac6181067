import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { previewMail } from '#contract/identity/mail-preview.ts'
import { previewAudience } from '#contract/transmissions/transmissions.ts'
import { call } from '#web/api/client.ts'
import { countRequestOf, hasAudience, type Draft } from '../draft.ts'

/** The server is asked after this number of milliseconds without a change. */
const pause = 300

/** Returns the value after a moment without changes. Values are compared by content, because drafts are made anew at every drawing. */
export function useDebounced<T>(value: T): { settled: T; isLate: boolean } {
  const text = JSON.stringify(value)
  const [late] = useDebouncedValue(text, pause)
  // This text was made of such a value a moment ago.
  return { settled: JSON.parse(late) as T, isLate: late !== text }
}

/** Returns the exact number of recipients, counted by the server while somebody chooses. */
export function useAudienceCount(draft: Draft) {
  const { settled: body, isLate } = useDebounced(countRequestOf(draft))
  const isAsked = draft.organizationId !== '' && hasAudience(draft)
  const query = useQuery({
    queryKey: [previewAudience.name, body],
    queryFn: ({ signal }) => call(previewAudience, { body, signal }),
    enabled: isAsked && !isLate,
    staleTime: 10_000,
    placeholderData: keepPreviousData,
  })
  return {
    count: isAsked ? query.data : undefined,
    isCounting: isAsked && (isLate || query.isFetching),
    error: isAsked ? query.error : null,
  }
}

/** Returns what a mail is drawn of. */
export const mailRequestOf = (
  { organizationId, video, subject, due, linksEnd, body }: Draft,
  recipientId: string | undefined,
) => ({
  accountId: organizationId,
  videoId: video?.id ?? '',
  body,
  subject,
  ...(due === '' ? {} : { dueAt: due }),
  ...(linksEnd === '' ? {} : { linksEndAt: linksEnd }),
  ...(recipientId === undefined ? {} : { recipientId }),
})

/** Returns the mail as this recipient will get it; without one, as its author would. */
export function useMailPreview(
  draft: Draft,
  { recipientId, isDuty }: { recipientId: string | undefined; isDuty: boolean },
) {
  const { settled: body } = useDebounced({ ...mailRequestOf(draft, recipientId), isDuty })
  return useQuery({
    queryKey: [previewMail.name, body],
    queryFn: ({ signal }) => call(previewMail, { body, signal }),
    enabled: body.accountId !== '' && body.videoId !== '',
    staleTime: 60_000,
    placeholderData: keepPreviousData,
  })
}
