// One way to draw, on a canvas and into an SVG: what is seen is what is downloaded.
import { s } from "./dom.js";

const square = 0.886; // half the side of a square with the area of a circle of radius 1

export function canvasPen(context) {
  return {
    lines(list, { color, width, dash, alpha = 1 }) {
      context.globalAlpha = alpha;
      context.strokeStyle = color;
      context.lineWidth = width;
      context.setLineDash(dash ?? []);
      context.beginPath();
      for (const [x1, y1, x2, y2] of list) {
        context.moveTo(x1, y1);
        context.lineTo(x2, y2);
      }
      context.stroke();
      context.setLineDash([]);
      context.globalAlpha = 1;
    },
    node(x, y, r, round, { fill, stroke, width = 1.5, alpha = 1 }) {
      context.globalAlpha = alpha;
      context.beginPath();
      if (round) context.arc(x, y, r, 0, 2 * Math.PI);
      else context.rect(x - square * r, y - square * r, 2 * square * r, 2 * square * r);
      context.fillStyle = fill;
      context.fill();
      context.strokeStyle = stroke;
      context.lineWidth = width;
      context.stroke();
      context.globalAlpha = 1;
    },
    rect(x, y, width, height, fill) {
      context.fillStyle = fill;
      context.fillRect(x, y, width, height);
    },
    text(x, y, text, { color, size = 12, anchor = "start", halo, turn, weight = 400 }) {
      context.save();
      context.translate(x, y);
      if (turn) context.rotate((turn * Math.PI) / 180);
      context.font = `${weight} ${size}px system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif`;
      context.textAlign = anchor === "end" ? "right" : anchor === "middle" ? "center" : "left";
      context.textBaseline = "middle";
      context.direction = "ltr";
      if (halo) {
        context.strokeStyle = halo;
        context.lineWidth = 3;
        context.lineJoin = "round";
        context.strokeText(text, 0, 0);
      }
      context.fillStyle = color;
      context.fillText(text, 0, 0);
      context.restore();
    },
  };
}

const r2 = (value) => Math.round(value * 100) / 100;

export function svgPen(svg) {
  return {
    lines(list, { color, width, dash, alpha = 1 }) {
      if (list.length > 0)
        svg.append(
          s("path", {
            d: list.map(([x1, y1, x2, y2]) => `M${r2(x1)} ${r2(y1)}L${r2(x2)} ${r2(y2)}`).join(""),
            fill: "none",
            stroke: color,
            "stroke-width": r2(width),
            "stroke-dasharray": dash?.join(" "),
            opacity: alpha,
          }),
        );
    },
    node(x, y, r, round, { fill, stroke, width = 1.5, alpha = 1 }) {
      const look = { fill, stroke, "stroke-width": width, opacity: alpha };
      svg.append(
        round
          ? s("circle", { cx: r2(x), cy: r2(y), r: r2(r), ...look })
          : s("rect", {
              x: r2(x - square * r),
              y: r2(y - square * r),
              width: r2(2 * square * r),
              height: r2(2 * square * r),
              ...look,
            }),
      );
    },
    rect(x, y, width, height, fill) {
      svg.append(s("rect", { x: r2(x), y: r2(y), width: r2(width), height: r2(height), fill }));
    },
    text(x, y, text, { color, size = 12, anchor = "start", halo, turn, weight = 400 }) {
      svg.append(
        s(
          "text",
          {
            x: r2(x),
            y: r2(y),
            transform: turn ? `rotate(${turn} ${r2(x)} ${r2(y)})` : null,
            "text-anchor": anchor,
            "dominant-baseline": "central",
            "font-size": size,
            "font-weight": weight,
            fill: color,
            stroke: halo,
            "stroke-width": halo ? 3 : null,
            "paint-order": "stroke",
            "stroke-linejoin": "round",
          },
          text,
        ),
      );
    },
  };
}
