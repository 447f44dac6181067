import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { listVideos, readVideo, searchVideos, type Video } from '#contract/videos.ts'
import { sentence } from '#web/api/errors.ts'
import { queryOf } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { formatRuntime } from '#web/ui/format.ts'
import { SearchField } from '#web/ui/SearchField.tsx'
import { Bone } from '#web/ui/Skeletons.tsx'
import { isSendable, type Draft } from './draft.ts'
import { Poster } from '#web/ui/Poster.tsx'
import { whole } from '#web/ui/tips.ts'

type Props = {
  organizationId: string
  chosen: Draft['video']
  error: string | undefined
  onChoose: (video: NonNullable<Draft['video']>) => void
}

const shown = 12

/** Videos with their pictures, newest first, or those that a search finds: ready ones, and those that soon will be. */
export function VideoChoice({ organizationId, chosen, error, onChoose }: Props) {
  const [keyword, setKeyword] = useState('')
  const query = { organizationId, limit: shown }
  const preparing = useQuery({
    ...queryOf(listVideos, { query: { ...query, state: 'processing' } }),
    staleTime: 5_000,
    refetchInterval: ({ state }) => (state.data?.items.length ? 5_000 : false),
    enabled: organizationId !== '' && keyword === '',
  })
  const newest = useQuery({
    ...queryOf(listVideos, { query: { ...query, state: 'ready' } }),
    staleTime: 5_000,
    // One that was being prepared may have become ready.
    refetchInterval: () => (preparing.data?.items.length ? 5_000 : false),
    enabled: organizationId !== '' && keyword === '',
  })
  const found = useQuery({
    ...queryOf(searchVideos, { query: { ...query, keyword } }),
    staleTime: 5_000,
    enabled: organizationId !== '' && keyword !== '',
  })
  const { data, error: failure } = keyword === '' ? newest : found
  const listed = data && (keyword === '' ? [...(preparing.data?.items ?? []), ...data.items] : data.items)
  const ready = listed?.filter(isSendable).filter(isFirst)
  // One that was chosen elsewhere may be older than those shown.
  const isElsewhere = ready !== undefined && chosen !== null && !ready.some(({ id }) => id === chosen.id)
  const other = useQuery({
    ...queryOf(readVideo, { params: { videoId: chosen?.id ?? '' } }),
    enabled: isElsewhere,
  })
  const videos = isElsewhere && other.data && keyword === '' ? [other.data, ...ready] : ready
  return (
    <fieldset
      className="ui-fieldset"
      id="field-videoId"
      tabIndex={-1}
      aria-describedby={error && 'error-videoId'}
    >
      <legend>Video</legend>
      {organizationId === '' ? (
        <p>Choose the organization first.</p>
      ) : (
        <>
          <SearchField label="Search videos" value={keyword} onSearch={setKeyword} />
          {failure && <p role="alert">{sentence(failure)}</p>}
          {!videos && !failure && <Waiting />}
          {videos?.length === 0 && <NoVideo keyword={keyword} />}
          {videos && videos.length > 0 && (
            <div className="tx-videos">
              {videos.map((video) => (
                <Card key={video.id} video={video} isChosen={video.id === chosen?.id} onChoose={onChoose} />
              ))}
            </div>
          )}
          {data && data.total > shown && <p>{data.total - shown} more: search by title or description.</p>}
        </>
      )}
      {error && (
        <p id="error-videoId" className="mantine-InputWrapper-error tx-error">
          {error}
        </p>
      )}
    </fieldset>
  )
}

/** One may become ready between two answers, and then stand in both. */
const isFirst = ({ id }: Video, index: number, all: readonly Video[]) =>
  all.findIndex((other) => other.id === id) === index

type CardProps = { video: Video; isChosen: boolean; onChoose: Props['onChoose'] }

function Card({ video, isChosen, onChoose }: CardProps) {
  const { id, title, poster, durationMs, state } = video
  return (
    <label className="tx-video">
      <input type="radio" name="video" checked={isChosen} onChange={() => onChoose({ id, title })} />
      <Poster src={poster} size="large" />
      <span className="tx-video-text">
        <span {...whole}>{title}</span>
        <span>
          {state === 'processing'
            ? 'Being prepared'
            : durationMs === null
              ? 'Video'
              : `${formatRuntime(durationMs)} min`}
        </span>
      </span>
    </label>
  )
}

function NoVideo({ keyword }: { keyword: string }) {
  if (keyword !== '') return <p>No video that can be sent has “{keyword}” in its title or description.</p>
  return (
    <p>
      No video is ready to be sent. <Link to={paths.content()}>Upload one in Content</Link>
    </p>
  )
}

function Waiting() {
  return (
    <div className="tx-videos" role="status" aria-label="Loading videos">
      {['one', 'two', 'three'].map((name) => (
        <Bone key={name} height={136} />
      ))}
    </div>
  )
}
