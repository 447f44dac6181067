import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import * as z from 'zod/mini'
import { createTransmission, listTransmissions } from '#contract/transmissions.ts'
import { readVideo, type Video } from '#contract/videos.ts'
import { prefetch, queryOf, useChange } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { readSearch, usePageSearch, type LoadInput } from '#web/layout/page.ts'
import { useUser } from '#web/session/useSession.ts'
import { working } from '#web/session/workingOrganization.ts'
import { PageHead } from '#web/ui/PageHead.tsx'
import { Composer } from './Composer.tsx'
import { isSendable, nothing, requestOf, type Draft } from './draft.ts'

/** A video to begin with, named by the page of that video. */
export const search = z.object({ videoId: z.catch(z.string(), '') })

const readGiven = (videoId: string) => queryOf(readVideo, { params: { videoId } })

export async function load({ search: given }: LoadInput): Promise<void> {
  const { videoId } = readSearch(search, given)
  // One that cannot be read is no reason against another.
  if (videoId !== '') await prefetch(readVideo, { params: { videoId } }).catch(() => undefined)
}

/** The draft to begin with: nothing, or the video that the address names. */
function useStart(organizationId: string, videoId: string): Draft {
  const { data } = useQuery({ ...readGiven(videoId), enabled: videoId !== '' })
  const video: Video | undefined = data && isSendable(data) ? data : undefined
  return video
    ? { ...nothing, organizationId: video.organizationId, video: { id: video.id, title: video.title } }
    : { ...nothing, organizationId }
}

export function TransmissionCreate() {
  const user = useUser()
  const [{ videoId }] = usePageSearch(search)
  // Kept: who chooses another organization in the bar goes on writing for this one.
  const [workedIn] = useState(working.read)
  const start = useStart(user.organizationId ?? workedIn, videoId)
  // The hook keeps the idempotency key until it succeeds: a second click or another try after a broken line sends once.
  const creation = useChange(createTransmission, [listTransmissions])
  return (
    <>
      <PageHead
        title="New transmission"
        lead="Each recipient gets a mail with a personal link to the video."
        crumbs={<Link to={paths.transmissions()}>Transmissions</Link>}
      />
      <Composer
        start={start}
        // What was written before the page was left is kept apart for each video that one comes from.
        storage={`transmission:new:${videoId}`}
        back={paths.transmissions()}
        isOrganizationOpen={user.role === 'superadmin'}
        onSend={(draft) => creation.mutateAsync({ body: requestOf(draft) })}
      />
    </>
  )
}
