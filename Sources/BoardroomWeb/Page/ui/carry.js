// A link that takes the session's right along when it is followed, and has none when its address is
// copied (docs/SPEC.md, PAGE-7).

/**
 * @param {HTMLAnchorElement} link
 * @param {string} address without a token; it may have fields after #
 * @param {() => string} token "": there is none to be taken along
 * @param {Clock} clock
 */
export function carryToken(link, address, token, clock) {
  const [path, fields] = address.split("#");
  link.href = address;
  const carry = () => {
    const carried = [token(), fields].filter(Boolean).join("&");
    if (token()) link.href = `${path}#${carried}`;
    clock.after(0, () => {
      link.href = address;
    });
  };
  link.addEventListener("click", carry);
  link.addEventListener("auxclick", carry);
}
