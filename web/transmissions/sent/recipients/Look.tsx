import { Button } from '@mantine/core'
import { IconBaselineDensitySmall } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { named } from '#web/ui/overlays/tips.ts'
import { usePhone } from '#web/ui/browser/usePhone.ts'

/** It becomes true when one of the two links is pressed, which gives way to the other, so that the other one gets the focus. */
let wasPressed = false
const press = () => (wasPressed = true)
const takeFocus = (link: HTMLElement | null) => {
  if (!link || !wasPressed) return
  wasPressed = false
  link.focus()
}

/** Leads to the strips of all recipients as one cloth. */
export function ToWeave() {
  const isPhone = usePhone()
  return (
    <Button
      variant="default"
      {...(isPhone
        ? { px: 8, ...named('Second by second') }
        : { leftSection: <IconBaselineDensitySmall size={16} aria-hidden /> })}
      renderRoot={(props) => (
        <Link
          to="."
          search={{ look: 'seconds' }}
          resetScroll={false}
          {...props}
          ref={takeFocus}
          onClick={press}
        />
      )}
    >
      {isPhone ? <IconBaselineDensitySmall size={16} aria-hidden /> : 'Second by second'}
    </Button>
  )
}

/** Leads back to their list. */
export const ToList = () => (
  <Link to="." search={{}} resetScroll={false} ref={takeFocus} onClick={press}>
    Show the list of recipients
  </Link>
)
