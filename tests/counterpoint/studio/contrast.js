() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].map((v) => v / 255);
  };
  const over = ([r, g, b, a], under) => [r, g, b].map((v, k) => v * a + under[k] * (1 - a));
  const ground = (element) => {
    const parts = [];
    for (let e = element; e; e = e.parentElement) parts.push(rgba(getComputedStyle(e).backgroundColor));
    return parts.reverse().reduce((under, part) => over(part, under), [1, 1, 1]);
  };
  const light = (rgb) => {
    const [r, g, b] = rgb.map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const wrong = [];
  for (const element of document.querySelectorAll("body *")) {
    const text = [...element.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (!text || !element.checkVisibility() || element.closest(":disabled, [aria-disabled], option")) continue;
    const style = getComputedStyle(element);
    const under = ground(element);
    const colour = element instanceof SVGElement ? style.fill : style.color;
    const [a, b] = [light(over(rgba(colour), under)), light(under)];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    if (ratio < (large ? 3 : 4.5)) wrong.push(`${ratio.toFixed(2)}: ${element.outerHTML.slice(0, 100)}`);
  }
  return wrong;
}
