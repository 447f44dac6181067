import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Button, Input } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { listVideos, readVideo, searchVideos, type Video } from '#contract/videos/videos.ts'
import { sentence } from '#web/api/errors.ts'
import { fieldId } from '#web/api/forms/form.ts'
import { queryOf } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { formatRuntime } from '#web/ui/format.ts'
import { SearchField } from '#web/ui/fields/SearchField.tsx'
import { Bone } from '#web/ui/feedback/Skeletons.tsx'
import { isSendable, type Draft } from './draft.ts'
import { VideoGaps } from './VideoGaps.tsx'
import { Poster } from '#web/ui/figures/Poster.tsx'
import { shows, whole } from '#web/ui/overlays/tips.ts'
import { usePhone } from '#web/ui/browser/usePhone.ts'
import two from '#web/ui/look/twoLines.module.css'
import classes from './VideoChoice.module.css'
import shapes from '#web/ui/look/shapes.module.css'

type Props = {
  /** Where a page chooses several videos, these say what this one is called, and tell its field from the others. */
  legend?: string
  field?: string
  organizationId: string
  chosen: Draft['video']
  error: string | undefined
  onChoose: (video: NonNullable<Draft['video']>) => void
}

/** Shows the video that is sent in one line, or those to choose from. */
export function VideoChoice(props: Props) {
  const { legend = 'Video', field = 'videoId', organizationId, chosen, error, onChoose } = props
  const [isChanging, setChanging] = useState(false)
  const part = useRef<HTMLFieldSetElement>(null)
  const isOpen = chosen === null || isChanging
  const wasOpen = useRef(isOpen)
  useEffect(() => {
    if (wasOpen.current === isOpen) return
    wasOpen.current = isOpen
    // The element that had the focus is gone: the search, or the way back to it.
    part.current?.querySelector<HTMLElement>(isOpen ? 'input' : 'button')?.focus()
  }, [isOpen])
  return (
    <fieldset
      ref={part}
      className={shapes.stack}
      id={fieldId(field)}
      tabIndex={-1}
      aria-describedby={error && errorId(field)}
    >
      <legend>{legend}</legend>
      {organizationId === '' ? (
        <p>Choose the organization first.</p>
      ) : chosen !== null && !isChanging ? (
        <Chosen {...chosen} onChange={() => setChanging(true)} />
      ) : (
        <Videos
          // Videos of another organization are never shown meanwhile.
          key={organizationId}
          organizationId={organizationId}
          chosenId={chosen?.id}
          onChoose={(video) => {
            setChanging(false)
            onChoose(video)
          }}
        />
      )}
      {error && (
        <div>
          <Input.Error id={errorId(field)}>{error}</Input.Error>
        </div>
      )}
    </fieldset>
  )
}

const errorId = (field: string) => `error-${field}`

type ChosenProps = { id: string; title: string; onChange: () => void }

function Chosen({ id, title, onChange }: ChosenProps) {
  const { data } = useQuery({
    ...queryOf(readVideo, { params: { videoId: id } }),
    // Its length and its picture come when it is ready.
    refetchInterval: ({ state }) => (state.data?.state === 'processing' ? 5_000 : false),
  })
  return (
    <>
      <div className={`${shapes.named} ${classes.chosen}`}>
        <Poster src={data?.poster ?? null} size="medium" />
        <p className={two.lines}>
          <span {...whole} className={classes.title}>
            {data?.title ?? title}
          </span>
          <span>{data ? detailOf(data) : ''}</span>
        </p>
        <Button variant="subtle" size="compact-md" onClick={onChange}>
          Change
          <span className={shapes.sr}> the video</span>
        </Button>
      </div>
      {data && <VideoGaps video={data} />}
    </>
  )
}

/** These are the numbers of videos that are asked for: enough for a row, and as many as one answer may have. */
const [some, most] = [12, 100]

type VideosProps = Pick<Props, 'organizationId' | 'onChoose'> & { chosenId: string | undefined }

/**
 * Shows videos with their pictures, newest first, or those that a search finds: ready ones, and those that soon will be. It shows one row
 * of them, until somebody asks for all.
 */
function Videos({ organizationId, chosenId, onChoose }: VideosProps) {
  const [keyword, setKeyword] = useState('')
  const [isAll, setAll] = useState(false)
  const inRow = usePhone() ? 2 : 3
  const query = { organizationId, limit: isAll ? most : some }
  const preparing = useQuery({
    ...queryOf(listVideos, { query: { ...query, state: 'processing' } }),
    staleTime: 5_000,
    refetchInterval: ({ state }) => (state.data?.items.length ? 5_000 : false),
    enabled: keyword === '',
  })
  const newest = useQuery({
    ...queryOf(listVideos, { query: { ...query, state: 'ready' } }),
    staleTime: 5_000,
    // A video that was being prepared may have become ready.
    refetchInterval: () => (preparing.data?.items.length ? 5_000 : false),
    placeholderData: keepPreviousData,
    enabled: keyword === '',
  })
  const found = useQuery({
    ...queryOf(searchVideos, { query: { ...query, keyword } }),
    staleTime: 5_000,
    placeholderData: keepPreviousData,
    enabled: keyword !== '',
  })
  const { data, error: failure } = keyword === '' ? newest : found
  const listed = data && (keyword === '' ? [...(preparing.data?.items ?? []), ...data.items] : data.items)
  const videos = listed?.filter(isSendable).filter(isFirst)
  return (
    <>
      <SearchField label="Search videos" value={keyword} onSearch={setKeyword} />
      {failure && <p role="alert">{sentence(failure)}</p>}
      {!videos && !failure && <Waiting count={inRow} />}
      {videos?.length === 0 && <NoVideo keyword={keyword} />}
      {videos && videos.length > 0 && (
        <ul className={classes.videos} aria-label="Videos that can be sent">
          {videos.slice(0, isAll ? undefined : inRow).map((video) => (
            <li key={video.id}>
              <Card video={video} isChosen={video.id === chosenId} onChoose={onChoose} />
            </li>
          ))}
        </ul>
      )}
      {data && isAll && data.total > most && <p>{data.total - most} more: search by title or description.</p>}
      {videos && videos.length > inRow && (
        <Button variant="subtle" size="compact-sm" aria-expanded={isAll} onClick={() => setAll(!isAll)}>
          {isAll ? 'Fewer videos' : 'All videos'}
        </Button>
      )}
    </>
  )
}

/** Leaves out doubles, because a video may become ready between two answers, and then stand in both. */
const isFirst = ({ id }: Video, index: number, all: readonly Video[]) =>
  all.findIndex((other) => other.id === id) === index

type CardProps = { video: Video; isChosen: boolean; onChoose: Props['onChoose'] }

function Card({ video, isChosen, onChoose }: CardProps) {
  const { id, title, poster } = video
  return (
    <button
      type="button"
      className={`${shapes.tile} ${classes.video}`}
      aria-pressed={isChosen}
      onClick={() => onChoose({ id, title })}
    >
      <Poster src={poster} size="large" />
      <span className={two.lines}>
        <span {...shows(title)} className={classes.title}>
          {title}
        </span>
        <span>{detailOf(video)}</span>
      </span>
    </button>
  )
}

function detailOf({ state, durationMs }: Video): string {
  if (state === 'processing') return 'Being prepared'
  return durationMs === null ? 'Video' : formatRuntime(durationMs)
}

function NoVideo({ keyword }: { keyword: string }) {
  if (keyword !== '') return <p>No video that can be sent has “{keyword}” in its title or description.</p>
  return (
    <p>
      No video is ready to be sent. <Link to={paths.content()}>Upload one in Content</Link>
    </p>
  )
}

function Waiting({ count }: { count: number }) {
  return (
    <div className={classes.videos} role="status" aria-label="Loading videos">
      {Array.from({ length: count }, (_none, at) => (
        <Bone key={at} height={156} />
      ))}
    </div>
  )
}
