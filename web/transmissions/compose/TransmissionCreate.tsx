import { useQuery } from '@tanstack/react-query'
import { Link, Navigate } from '@tanstack/react-router'
import { useState } from 'react'
import * as z from 'zod/mini'
import {
  createTransmission,
  followUpParts,
  listTransmissions,
  readTransmission,
} from '#contract/transmissions/transmissions.ts'
import { readVideo, type Video } from '#contract/videos/videos.ts'
import { prefetch, queryOf, useChange } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { readSearch, usePageSearch, type LoadInput } from '#web/layout/page.ts'
import { useUser } from '#web/session/useSession.ts'
import { working } from '#web/session/workingOrganization.ts'
import { Composer } from './Composer.tsx'
import { nameOf } from '../labels.ts'
import { useSendSaved } from './useSendSaved.ts'
import { firstWords, isSendable, noViewing, nothing, requestOf, type Draft } from './draft.ts'

/**
 * The address says what to begin with: a video, named by its page, perhaps to whoever is late with it; or an earlier transmission, and to
 * which of its people this one goes.
 */
export const search = z.object({
  videoId: z.catch(z.string(), ''),
  late: z.catch(z.boolean(), false),
  follows: z.catch(z.string(), ''),
  part: z.catch(z.enum(followUpParts), 'not_watched'),
  /** It was kept as this draft while it was written, and goes on with it after a reload. */
  draft: z.catch(z.string(), ''),
})
type CreateSearch = z.infer<typeof search>

const readGiven = (videoId: string) => queryOf(readVideo, { params: { videoId } })
const readFollowed = (transmissionId: string) => queryOf(readTransmission, { params: { transmissionId } })

export async function load({ search: given }: LoadInput): Promise<void> {
  const { videoId, follows } = readSearch(search, given)
  // If one of them cannot be read, the other is read all the same.
  if (videoId !== '') await prefetch(readVideo, { params: { videoId } }).catch(() => undefined)
  if (follows !== '')
    await prefetch(readTransmission, { params: { transmissionId: follows } }).catch(() => undefined)
}

/** Returns the draft to begin with: words for anybody, and what the address names. */
function useStart(organizationId: string, { videoId, late, follows, part }: CreateSearch): Draft {
  const { data } = useQuery({ ...readGiven(videoId), enabled: videoId !== '' })
  const { data: earlier } = useQuery({ ...readFollowed(follows), enabled: follows !== '' })
  if (earlier)
    return {
      ...nothing,
      organizationId: earlier.organizationId,
      video: earlier.video && { id: earlier.video.id, title: earlier.video.title },
      subject: earlier.subject,
      body: earlier.body,
      follows: { id: earlier.id, subject: nameOf(earlier), part },
    }
  const video: Video | undefined = data && isSendable(data) ? data : undefined
  if (!video) return { ...nothing, body: firstWords, organizationId }
  const chosen = { id: video.id, title: video.title }
  return {
    ...nothing,
    body: firstWords,
    organizationId: video.organizationId,
    video: chosen,
    ...(late && { everyone: true, viewing: { ...noViewing, kind: 'late', video: chosen } }),
  }
}

export function TransmissionCreate() {
  const user = useUser()
  const [given, remember] = usePageSearch(search)
  const { follows } = given
  const [reopened] = useState(given.draft)
  // The organization is kept, so that whoever chooses another one in the bar goes on writing for this one.
  const [workedIn] = useState(working.read)
  const start = useStart(user.organizationId ?? workedIn, given)
  // The hook keeps the idempotency key until it succeeds: a second click or another try after a broken line sends once.
  const creation = useChange(createTransmission, [listTransmissions])
  const sendSaved = useSendSaved()
  if (reopened !== '') return <Navigate to={paths.transmissionEdit(reopened)} replace />
  return (
    <Composer
      head={{
        title: 'Add a transmission',
        lead: 'Each recipient gets a mail with a personal link to the video.',
        crumbs: <Link to={paths.transmissions()}>Transmissions</Link>,
      }}
      start={start}
      saved={null}
      onFirstSave={(draft) => remember({ draft })}
      back={follows === '' ? paths.transmissions() : paths.transmission(follows)}
      isOrganizationOpen={user.role === 'superadmin'}
      onSend={(draft, saver, urgent) =>
        saver.saved()
          ? sendSaved(draft, saver, urgent)
          : creation.mutateAsync({ body: { ...requestOf(draft), ...urgent } })
      }
    />
  )
}
