import { useEffect, useRef, type ReactNode } from 'react'
import { Bone } from '#web/ui/Skeletons.tsx'
import shapes from '#web/ui/shapes.module.css'

/** Around what the form needs time for: once it is there, the focus goes into it. */
export function FormStart({ children }: { children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const panel = place.current?.closest('dialog')
    // Who has gone on meanwhile is left where they are.
    if (panel?.contains(document.activeElement) && !document.activeElement?.matches('h2, form *')) return
    place.current?.querySelector<HTMLElement>('[data-part="fields"] :is(input, textarea, select)')?.focus()
  }, [])
  return <div ref={place}>{children}</div>
}

/** Of the height of a form. */
export function FormBones() {
  return (
    <div className={`${shapes.pad} ${shapes.stack}`} aria-hidden>
      {[1, 2, 3, 4, 5, 6].map((field) => (
        <Bone key={field} height={60} />
      ))}
    </div>
  )
}
