import { Button } from '@mantine/core'
import { IconFileText } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import type { VideoDetail } from '#contract/videos/videos.ts'
import { attempt } from '#web/api/attempt.ts'
import { sayer } from './sayer.ts'

type Props = Pick<VideoDetail, 'title' | 'tracks'> & {
  video: HTMLVideoElement | undefined
  onPlay: (from: { ms: number }) => void
}

/** What is said as text below the player, where there are captions. Nothing of it is fetched before somebody opens it. */
export function Transcript({ video, title, tracks, onPlay }: Props) {
  const place = useRef<HTMLDivElement>(null)
  const opener = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(false)
  const said = tracks.filter(({ kind }) => kind !== 'descriptions')
  const files = said.map(({ src }) => src.replace(/.*\//, '')).join()
  const latest = useRef({ said, title, onPlay })
  useEffect(() => {
    latest.current = { said, title, onPlay }
  })

  useEffect(() => {
    if (!isOpen || !video || files === '') return undefined
    let remove: (() => void) | undefined
    let isGone = false
    const show = async () => {
      const [{ createTranscript }, { transcript }] = await Promise.all([
        import('#web/player/transcript.ts'),
        import('#contract/messages/en/transcript.ts'),
      ])
      if (isGone) return
      const { said: shown, title: name, onPlay: play } = latest.current
      const { panel, stop } = createTranscript({
        video,
        title: name,
        tracks: shown,
        say: sayer(transcript),
        playAt: (seconds) => play({ ms: seconds * 1_000 }),
        onClose: () => setOpen(false),
      })
      remove = stop
      place.current?.append(panel)
      panel.querySelector('h2')?.focus()
    }
    void attempt(show)
    return () => {
      isGone = true
      remove?.()
    }
  }, [isOpen, video, files])

  const wasOpen = useRef(false)
  useEffect(() => {
    if (wasOpen.current && !isOpen) opener.current?.focus()
    wasOpen.current = isOpen
  }, [isOpen])

  if (said.length === 0) return null
  return (
    <div ref={place}>
      {!isOpen && (
        <Button
          ref={opener}
          variant="default"
          leftSection={<IconFileText size={16} aria-hidden />}
          disabled={!video}
          onClick={() => setOpen(true)}
        >
          Transcript
        </Button>
      )}
    </div>
  )
}
