import { product } from '#web/ui/product.ts'
import classes from './Shell.module.css'
import shapes from '#web/ui/shapes.module.css'

const thisYear = () => new Date().getFullYear()

export function Footer() {
  return (
    <footer className={`${shapes.hint} ${classes.foot}`} data-part="footer">
      © {thisYear()} {product.name} - by {product.provider}
    </footer>
  )
}
