import { Textarea } from '@mantine/core'
import { useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import { language } from '#contract/platform/text/language.ts'
import { UrgentReason } from '#contract/videos/readiness.ts'
import { readVideo } from '#contract/videos/videos.ts'
import { queryOf } from '#web/api/query.ts'

/** Asks why it cannot wait, where one of these videos lacks captions and the organization requires them. */
export function useUrgent(videoIds: readonly string[]) {
  const [reason, setReason] = useState('')
  const queries = [...new Set(videoIds)].map((videoId) => queryOf(readVideo, { params: { videoId } }))
  const bare = useQueries({ queries }).flatMap(({ data }) => (data?.readiness.asksWhy ? [data.title] : []))
  const isAsked = bare.length > 0
  const titles = new Intl.ListFormat(language).format(bare.map((title) => `“${title}”`))
  return {
    /** What the request says of it. */
    given: isAsked ? { urgentReason: reason } : {},
    isReady: !isAsked || UrgentReason.safeParse(reason).success,
    field: isAsked && (
      <Textarea
        label="Why it is urgent"
        description={`Your organization requires captions, and there are none of ${titles}. What you write is kept in the audit log with your name; at least 10 characters.`}
        autosize
        minRows={2}
        maxLength={500}
        value={reason}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
      />
    ),
  }
}
