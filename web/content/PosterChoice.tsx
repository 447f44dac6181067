import { Button } from '@mantine/core'
import { IconCamera, IconPhotoPlus } from '@tabler/icons-react'
import { pictureLimits } from '#contract/directory/picture-limits.ts'
import { posterLimits } from '#contract/videos/poster-limits.ts'
import { choosePoster, readPosters, type Poster } from '#contract/videos/posters.ts'
import { listVideos, readVideo, searchVideos } from '#contract/videos/videos.ts'
import type { Body } from '#contract/endpoint.ts'
import { useBusy } from '#web/api/attempt.ts'
import { useChange, useEndpoint } from '#web/api/query.ts'
import { FileButton } from '#web/ui/fields/FileButton.tsx'
import { toast } from '#web/ui/feedback/toasts.ts'
import { formatBytes, formatClock, formatMoment } from '#web/ui/format.ts'
import shapes from '#web/ui/look/shapes.module.css'
import { usePlayerSecond } from './usePlayerSecond.ts'
import classes from './PosterChoice.module.css'

type Props = {
  videoId: string
  durationMs: number
  /** What plays, once it is there. */
  video: HTMLVideoElement | undefined
}

/** What the server accepts as well. */
const accept = 'image/png,image/jpeg,image/webp'

/** The picture that stands for the video before it plays, in lists and in mails. */
export function PosterChoice({ videoId, durationMs, video }: Props) {
  const params = { videoId }
  const { posters } = useEndpoint(readPosters, { params })
  const change = useChange(choosePoster, [readPosters, readVideo, listVideos, searchVideos])
  const [isBusy, run] = useBusy()
  const choose = (body: Body<typeof choosePoster>) =>
    run(() => change.mutateAsync({ params, body }), 'The video has this poster now.')
  const send = async (file: File) => {
    if (file.size <= posterLimits.bytes) return choose({ data: await base64Of(file) })
    return toast.failure(
      `This picture is larger than ${formatBytes(posterLimits.bytes)}. Please make it smaller first.`,
    )
  }
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-labelledby="poster-title">
      <div>
        <h2 id="poster-title">Poster</h2>
        <p className={shapes.hint}>
          It is shown before the video plays, in lists and in mails. What a mail has shown already stays as it
          was.
        </p>
      </div>
      <ul className={classes.posters}>
        {posters.map((poster) => (
          <li key={poster.id}>
            <button
              type="button"
              className={shapes.tile}
              aria-pressed={poster.isShown}
              disabled={isBusy}
              onClick={() => !poster.isShown && void choose({ id: poster.id })}
            >
              <img src={poster.picture} alt="" width={160} height={90} />
              <span>{nameOf(poster)}</span>
            </button>
          </li>
        ))}
      </ul>
      <div className={shapes.row}>
        <FrameHere
          video={video}
          isBusy={isBusy}
          onChoose={(ms) => void choose({ atMs: Math.min(ms, Math.max(0, durationMs - 1)) })}
        />
        <FileButton
          accept={accept}
          variant="default"
          disabled={isBusy}
          leftSection={<IconPhotoPlus size={16} aria-hidden />}
          onFiles={([file]) => file && void send(file)}
        >
          Choose a picture
        </FileButton>
      </div>
      <p className={shapes.hint}>
        PNG, JPEG or WebP, {formatBytes(posterLimits.bytes)} and {pictureLimits.pixels / 1_000_000} million
        pixels at most.
      </p>
    </section>
  )
}

function nameOf({ kind, atMs, at, isShown }: Poster): string {
  const name =
    kind === 'made'
      ? 'Chosen when it was prepared'
      : kind === 'frame'
        ? `Frame at ${formatClock(atMs ?? 0)}`
        : `Picture of ${at === null ? '' : formatMoment(at)}`
  return isShown ? `${name}, shown now` : name
}

type FrameProps = { video: HTMLVideoElement | undefined; isBusy: boolean; onChoose: (ms: number) => void }

/** Where the player stands, to the millisecond. */
function FrameHere({ video, isBusy, onChoose }: FrameProps) {
  const second = usePlayerSecond(video)
  return (
    <Button
      variant="default"
      loading={isBusy}
      leftSection={<IconCamera size={16} aria-hidden />}
      onClick={() => onChoose(Math.round((video?.currentTime ?? 0) * 1_000))}
    >
      Use the frame at {formatClock(second * 1_000)}
    </Button>
  )
}

async function base64Of(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  let binary = ''
  for (const byte of bytes) binary += String.fromCodePoint(byte)
  return btoa(binary)
}
