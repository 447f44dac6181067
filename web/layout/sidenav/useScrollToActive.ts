import { useEffect, type RefObject } from 'react'

const delay = 100
const duration = 500

const easeInOut = (share: number) => (share < 0.5 ? 2 * share * share : 1 - (2 - 2 * share) ** 2 / 2)

/** Where the list has to stand so that the active link is 40 % of the window below its top. */
function targetOf(list: HTMLElement, link: HTMLElement): number {
  const offset = link.getBoundingClientRect().top - list.getBoundingClientRect().top + list.scrollTop
  const most = list.scrollHeight - list.clientHeight
  return Math.min(Math.max(offset - 0.4 * innerHeight, 0), most)
}

/**
 * Brings the active link into view: 100 ms after its caller is there, over 500 ms (specification, section 2). Whoever
 * scrolls meanwhile has it their way. With less motion it is one jump.
 */
export function useScrollToActive(list: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const box = list.current
    if (!box) return
    let frame = 0
    const glide = (link: HTMLElement) => {
      const from = box.scrollTop
      const way = targetOf(box, link) - from
      const start = performance.now()
      const lasts = matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : duration
      const move = (now: number) => {
        const share = lasts === 0 ? 1 : Math.max(0, Math.min((now - start) / lasts, 1))
        box.scrollTop = from + way * easeInOut(share)
        if (share < 1) frame = requestAnimationFrame(move)
      }
      if (way !== 0) move(start)
    }
    const timer = setTimeout(() => {
      const link = box.querySelector<HTMLElement>('[aria-current=page]')
      if (link) glide(link)
    }, delay)
    const cancel = () => {
      clearTimeout(timer)
      cancelAnimationFrame(frame)
    }
    box.addEventListener('wheel', cancel, { passive: true })
    box.addEventListener('touchstart', cancel, { passive: true })
    return () => {
      cancel()
      box.removeEventListener('wheel', cancel)
      box.removeEventListener('touchstart', cancel)
    }
  }, [list])
}
