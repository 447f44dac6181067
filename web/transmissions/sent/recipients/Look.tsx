import { Button } from '@mantine/core'
import { IconBaselineDensitySmall } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { named } from '#web/ui/overlays/tips.ts'
import { usePhone } from '#web/ui/browser/usePhone.ts'

/** One of them was pressed, and gives way to the other, which gets its focus. */
let wasPressed = false
const press = () => (wasPressed = true)
const takeFocus = (link: HTMLElement | null) => {
  if (!link || !wasPressed) return
  wasPressed = false
  link.focus()
}

/** To the strips of all recipients as one cloth. */
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

/** Back to their list. */
export const ToList = () => (
  <Link to="." search={{}} resetScroll={false} ref={takeFocus} onClick={press}>
    Show the list of recipients
  </Link>
)
