import { useEffect, useRef, useState } from 'react'
import classes from './Shell.module.css'

/** Darkens the page behind an open menu; fades in, and out before it goes. */
export function Backdrop({ isOpen, onPress }: { isOpen: boolean; onPress: () => void }) {
  const [isThere, setThere] = useState(isOpen)
  const box = useRef<HTMLDivElement>(null)
  if (isOpen && !isThere) setThere(true)
  useEffect(() => {
    if (isOpen) return
    let isCurrent = true
    const fades = box.current?.getAnimations().map(({ finished }) => finished) ?? []
    void Promise.allSettled(fades).then(() => isCurrent && setThere(false))
    return () => {
      isCurrent = false
    }
  }, [isOpen])
  if (!isThere) return null
  const shown = isOpen ? 'show' : ''
  return (
    <div
      id="custom-backdrop"
      ref={box}
      className={`offcanvas-backdrop fade ${shown} ${classes.backdrop}`}
      aria-hidden
      onClick={onPress}
    />
  )
}
