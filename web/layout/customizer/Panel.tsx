import { Button, CloseButton } from '@mantine/core'
import { useRef, useState, useEffect, type RefObject } from 'react'
import { choicesOf, defaults, type Choices } from '../settings.ts'
import { layout, useLayout } from '../store.ts'
import { customizer, panelId, useCustomizer } from './customizer.ts'
import { Language } from './Language.tsx'
import { SectionFields } from './Section.tsx'
import { sections } from './sections.ts'
import classes from './Panel.module.css'
import shapes from '#web/ui/look/shapes.module.css'

const opener = `[aria-controls="${panelId}"]`

/** Nothing that answers to keys: the page's own frame, or nothing at all. */
function isIdle(element: Element | null): boolean {
  return element === null || element.matches('body, [tabindex="-1"]')
}

/** Takes the focus in, closes at Escape and when click or focus go elsewhere, and gives the focus back. */
function usePanelFocus(panel: RefObject<HTMLElement | null>, isOpen: boolean): void {
  useEffect(() => {
    const element = panel.current
    if (!isOpen || !element) return
    const from = document.activeElement
    element.querySelector('button')?.focus()
    // By its path, because a button that was pressed may be gone by now.
    const isElsewhere = (event: Event) =>
      !event
        .composedPath()
        .some((part) => part === element || (part instanceof Element && part.matches(opener)))
    const onEscape = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented) customizer.close()
    }
    const closeIfElsewhere = (event: Event) => {
      if (isElsewhere(event)) customizer.close()
    }
    const events = { keydown: onEscape, click: closeIfElsewhere, focusin: closeIfElsewhere }
    document.addEventListener('keydown', events.keydown)
    document.addEventListener('click', events.click)
    document.addEventListener('focusin', events.focusin)
    return () => {
      document.removeEventListener('keydown', events.keydown)
      document.removeEventListener('click', events.click)
      document.removeEventListener('focusin', events.focusin)
      giveBack(element, from)
    }
  }, [panel, isOpen])
}

/** To where the focus came from, unless the person has taken it somewhere else already. */
function giveBack(panel: HTMLElement, from: Element | null): void {
  const now = document.activeElement
  if (!isIdle(now) && !panel.contains(now)) return
  const button =
    from instanceof HTMLElement && !isIdle(from) ? from : document.querySelector<HTMLElement>(opener)
  button?.focus({ preventScroll: true })
}

/**
 * All choices of the layout. Not a modal dialog: what is chosen must be tried beside it, a rail by the pointer and
 * a position by scrolling. It closes as soon as the focus or a click goes elsewhere, so that it never hides either.
 */
export function Panel() {
  const isOpen = useCustomizer()
  const now = useLayout()
  const panel = useRef<HTMLElement>(null)
  const [reset, setReset] = useState(quiet)
  usePanelFocus(panel, isOpen)
  const isVertical = now.shown.orientation === 'vertical'
  return (
    <section
      ref={panel}
      id={panelId}
      className={`${shapes.sheet} ${classes.panel}`}
      role="dialog"
      aria-labelledby="customizer-title"
      aria-describedby="customizer-lead"
      data-open={isOpen || undefined}
      data-screen-only
    >
      <div className={classes.head}>
        <div className={shapes.spaceBetween}>
          <h2 id="customizer-title">Admin Customizer</h2>
          <CloseButton size="lg" aria-label="Close the customizer" onClick={customizer.close} />
        </div>
        <p id="customizer-lead" className={shapes.lead}>
          Choose how the console looks. Every change shows at once and is kept.
        </p>
      </div>
      <div className={`${shapes.ruled} ${classes.body}`} onChange={() => setReset(quiet)}>
        {sections
          .filter((section) => isVertical || !section.isVertical)
          .map((section) => (
            <SectionFields key={section.choice} section={section} now={now} />
          ))}
        <Language />
      </div>
      <PanelFoot saved={now.saved} {...reset} onReset={setReset} />
    </section>
  )
}

/** What the last reset said, and the choices that it replaced. */
type Reset = { news: string; before: Choices | null }
const quiet: Reset = { news: '', before: null }

function isDefault(choices: Choices): boolean {
  return Object.entries(choicesOf(defaults)).every(
    ([name, value]) => choices[name as keyof Choices] === value,
  )
}

type FootProps = Reset & { saved: Choices; onReset: (reset: Reset) => void }

function PanelFoot({ saved, news, before, onReset }: FootProps) {
  const button = useRef<HTMLButtonElement>(null)
  const reset = () => {
    layout.reset()
    onReset({ news: 'Defaults restored', before: isDefault(saved) ? null : saved })
  }
  const undo = (choices: Choices) => {
    layout.choose(choices)
    onReset({ news: 'Your choices are back', before: null })
    button.current?.focus()
  }
  return (
    <div className={classes.foot}>
      <div className={`${shapes.spaceBetween} ${classes.news}`}>
        <p role="status">{news}</p>
        {before && (
          <Button variant="subtle" size="compact-sm" onClick={() => undo(before)}>
            Undo
          </Button>
        )}
      </div>
      <Button ref={button} variant="default" onClick={reset}>
        Reset
      </Button>
      <Button onClick={customizer.close}>Close</Button>
    </div>
  )
}
