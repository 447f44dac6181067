import { product } from '#web/ui/product.ts'

/** Of the moment when the console was loaded. */
const year = new Date().getFullYear()

export function Footer() {
  return (
    <footer className="foot" data-part="footer">
      © {year} {product.name} - by {product.provider}
    </footer>
  )
}
