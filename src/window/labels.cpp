#include "labels.h"
#include "box_plan.h"
#include "labels_parts.h"

#include <backends/imgui_impl_opengl3.h>

#include <GL/glew.h>

#include <math.h>
#include <stdio.h>
#include <unistd.h>

namespace
{

const ImU32 BRIGHT = IM_COL32(244, 246, 250, 255), DARK = IM_COL32(16, 19, 24, 205);
const char *const FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf"; /* if missing: Dear ImGui's own */
const float FONT_PIXELS = 13;                                                   /* at scale 1 */
const double BAR = 140;                                                         /* longest scale bar, pixels at scale 1 */

/* ---- numbers on the box ---------------------------------------------------------------------------------------------- */

bool point(const struct labels &l, const double voxel[3], ImVec2 *at)
{
    double ndc[3];
    if (!camera_project(l.camera, l.width / l.height, voxel, ndc)) return false;
    *at = ImVec2((float)(l.left + (0.5 + 0.5 * ndc[0]) * l.width), (float)(l.top + (0.5 - 0.5 * ndc[1]) * l.height));
    return true;
}

struct number {
    char text[64];
    ImVec2 low, high; /* corners of its rectangle */
};

/* Writes a tick's number and places it beyond the tick's end, half the text's size and a gap away. The last number of an
 * axis has the axis's name and the unit. False: the tick points at the viewer, or cannot be seen. */
bool write_number(const struct labels &l, const struct box_tick &tick, struct number *number)
{
    ImVec2 from, to;
    const char *unit = l.volume->unit;
    if (!point(l, tick.at, &from) || !point(l, tick.to, &to)) return false;
    const float dx = to.x - from.x, dy = to.y - from.y, length = hypotf(dx, dy), gap = 4 * (float)l.scale;
    if (length < 1) return false;
    const int digits = volume_digits(l.volume, tick.along, 6);
    if (tick.last)
        snprintf(number->text, sizeof number->text, "%c %.*g%s%s%s", 'x' + (tick.along < 0 ? tick.axis : tick.along),
                 digits, tick.value, *unit ? " " : "", unit, tick.along < 0 ? " from voxel 0" : "");
    else snprintf(number->text, sizeof number->text, "%.*g", digits, tick.value);
    const ImVec2 size = ImGui::CalcTextSize(number->text);
    const float far = gap + fabsf(dx / length) * size.x / 2 + fabsf(dy / length) * size.y / 2;
    const float left = (float)l.left, right = (float)(l.left + l.width), wanted = to.x + dx / length * far - size.x / 2;
    const bool inside = to.x > left && to.x < right; /* a long text is then moved until all of it is visible */
    const float x = inside ? fmaxf(left + gap, fminf(wanted, right - gap - size.x)) : wanted;
    number->low = ImVec2(roundf(x), roundf(to.y + dy / length * far - size.y / 2));
    number->high = ImVec2(number->low.x + size.x, number->low.y + size.y);
    return true;
}

bool overlap(const struct number &a, const struct number &b)
{
    return a.low.x < b.high.x && b.low.x < a.high.x && a.low.y < b.high.y && b.low.y < a.high.y;
}

/* Where numbers of two axes overlap at a corner, only the first is drawn. The last numbers of axes come first. */
void draw_numbers(const struct labels &l, ImDrawList *list, const struct box_plan &plan)
{
    struct number number[3 * BOX_TICKS];
    size_t count = 0;
    for (int last = 1; last >= 0; last--)
        for (size_t i = 0; i < plan.ticks; i++) {
            bool fits = plan.tick[i].last == (bool)last && write_number(l, plan.tick[i], &number[count]);
            for (size_t k = 0; k < count && fits; k++) fits = !overlap(number[k], number[count]);
            if (!fits) continue;
            bright_text(list, number[count].low, last ? ACCENT : BRIGHT, number[count].text);
            count++;
        }
}

void box_numbers(const struct labels &l, ImDrawList *list)
{
    struct box_plan plan;
    box_lay_out(&plan, l.camera, l.volume, l.width / l.height, l.height, BOX_TICKS_APART * l.scale);
    list->PushClipRect(ImVec2((float)l.left, (float)l.top), ImVec2((float)(l.left + l.width), (float)(l.top + l.height)));
    draw_numbers(l, list, plan);
    list->PopClipRect();
}

void scale_bar(const struct labels &l, ImDrawList *list)
{
    struct labels_bar bar;
    labels_lay_bar(&l, &bar);
    const float unit = (float)l.scale, foot = (float)bar.foot, head = foot - (float)bar.height, left = (float)bar.left,
                right = (float)bar.right;
    const ImVec2 line[4] = { ImVec2(left, head), ImVec2(left, foot), ImVec2(right, foot), ImVec2(right, head) };
    list->AddPolyline(line, 4, DARK, 0, 4 * unit);
    list->AddPolyline(line, 4, BRIGHT, 0, 2 * unit);
    bright_text(list, ImVec2(left + 6 * unit, head - ImGui::GetTextLineHeight()), BRIGHT, bar.text);
}

/* Draws in a Dear ImGui context of its own, without a window: the window's context may be in the middle of a frame. */
void draw_alone(const struct labels *labels, const struct tile &tile)
{
    ImGuiIO &io = ImGui::GetIO();
    io.IniFilename = NULL;
    io.DisplaySize = ImVec2((float)tile.whole[0], (float)tile.whole[1]);
    load_font((float)labels->scale);
    ImGui_ImplOpenGL3_NewFrame();
    ImGui::NewFrame();
    labels_write(labels, ImGui::GetBackgroundDrawList());
    ImGui::Render();
    ImDrawData *const data = ImGui::GetDrawData();
    data->DisplayPos = ImVec2((float)tile.at[0], (float)(tile.whole[1] - tile.at[1] - tile.size[1]));
    data->DisplaySize = ImVec2((float)tile.size[0], (float)tile.size[1]);
    ImGui_ImplOpenGL3_RenderDrawData(data);
}

} // namespace

bool labels_any(const struct labels *l) { return l->box || l->axes || l->tint->by || slices_any(l->slices); }

void load_font(float scale)
{
    ImFontAtlas *fonts = ImGui::GetIO().Fonts;
    fonts->Clear();
    ImFontConfig config;
    config.SizePixels = fmaxf(1, floorf(FONT_PIXELS * scale + 0.5f)); /* Dear ImGui refuses 0 */
    if (access(FONT, R_OK) == 0) fonts->AddFontFromFileTTF(FONT, config.SizePixels);
    else fonts->AddFontDefault(&config);
}

void labels_lay_bar(const struct labels *l, struct labels_bar *bar)
{
    const struct volume *volume = l->volume;
    const double per_pixel = camera_height(l->camera) * box_scene_unit(l->camera, volume) / l->height;
    const double length = box_round_length(per_pixel * BAR * l->scale);
    bar->left = l->left + 16 * l->scale, bar->right = bar->left + length / per_pixel;
    bar->foot = l->top + l->height - 14 * l->scale, bar->height = 6 * l->scale;
    snprintf(bar->text, sizeof bar->text, "%.6g%s%s%s", length, *volume->unit ? " " : "", volume->unit,
             l->camera->orthographic ? "" : " at the centre");
}

void labels_write(const struct labels *l, ImDrawList *list)
{
    ImVec2 from, to;
    if (!l->volume->grid.voxels || !(l->width > 0) || !(l->height > 0)) return;
    if (l->box) box_numbers(*l, list);
    if (l->box) scale_bar(*l, list);
    labels_legend(l, list, &from, &to);
    if (l->axes) labels_axes(l, list);
}

int labels_draw(const struct labels *labels, unsigned framebuffer, const struct tile *tile, struct err *err)
{
    if (!labels_any(labels)) return ERR_NONE;
    ImGuiContext *const before = ImGui::GetCurrentContext(), *own = ImGui::CreateContext();
    ImGui::SetCurrentContext(own);
    const bool works = ImGui_ImplOpenGL3_Init("#version 450 core");
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    if (works) draw_alone(labels, *tile);
    if (works) ImGui_ImplOpenGL3_Shutdown();
    ImGui::DestroyContext(own);
    ImGui::SetCurrentContext(before);
    return works ? ERR_NONE : err_set(err, ERR_GL, "OpenGL cannot write text over the picture");
}
