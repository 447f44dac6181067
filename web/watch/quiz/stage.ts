import { named } from './quiz.module.css?adopted'

/** What browsers of Apple have in place of full screen on telephones. */
type AppleVideo = HTMLVideoElement & {
  webkitDisplayingFullscreen?: boolean
  webkitExitFullscreen?: () => void
}

export type Stage = {
  isOpen: () => boolean
  /** Puts something in front of the stopped video, and whoever watches at its heading. */
  show: (content: HTMLElement) => void
  /** `goesOn`: the video plays again, and in full screen where it did before. */
  close: (goesOn?: boolean) => void
}

/** The place of the questions: over the lower part of the picture, or below it where there is little room. */
export function createStage(video: HTMLVideoElement): Stage {
  const panel = document.createElement('section')
  panel.className = named('quiz')
  panel.setAttribute('role', 'dialog')
  panel.setAttribute('aria-labelledby', 'quiz-title')
  let wasFullscreen = false

  function leaveFullscreen(): void {
    const apple: AppleVideo = video
    // Our own full screen holds the question as well.
    if (document.fullscreenElement === video) {
      wasFullscreen = true
      void document.exitFullscreen().catch(ignore)
    } else if (apple.webkitDisplayingFullscreen) apple.webkitExitFullscreen?.()
    if (document.pictureInPictureElement === video) void document.exitPictureInPicture().catch(ignore)
  }

  function lock(isLocked: boolean): void {
    const own = video.closest('[data-player]')?.querySelector<HTMLElement>('[data-controls]')
    if (own) own.inert = isLocked
    else video.controls = !isLocked
  }

  // A key of the keyboard or of a headset could start it behind the question.
  video.addEventListener('play', () => {
    if (panel.isConnected) video.pause()
  })

  return {
    isOpen: () => panel.isConnected,
    show(content) {
      video.pause()
      if (!panel.isConnected) {
        leaveFullscreen()
        // The controls would take the focus, and play behind the panel.
        lock(true)
        video.after(panel)
      }
      panel.replaceChildren(content)
      panel.scrollTop = 0
      panel.querySelector<HTMLElement>('#quiz-title')?.focus()
    },
    close(goesOn = false) {
      if (!panel.isConnected) return
      panel.remove()
      lock(false)
      video.focus()
      if (!goesOn) return
      if (wasFullscreen) void video.requestFullscreen().catch(ignore)
      wasFullscreen = false
    },
  }
}

function ignore(): void {
  // The browser decides about full screen; the question can be answered either way.
}
