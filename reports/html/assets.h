#pragma once
// The scripts and styles of pages, which lie as files in reports/html/assets/ and travel inside the program.

#include <string_view>

namespace aqbench {

// Return the text of a file in reports/html/assets/. Scripts are in the order in which a page needs them.
std::string_view page_style();
std::string_view page_script();           // report.js
std::string_view plot_style();            // third_party/uplot/uPlot.min.css
std::string_view plot_library_script();   // third_party/uplot/uPlot.iife.min.js
std::string_view plot_script();           // plots.js
std::string_view plot_page_script();      // plots_page.js
std::string_view ab_page_script();        // ab_page.js
std::string_view bars_script();           // bars.js
std::string_view stages_page_script();    // stages_page.js
std::string_view view_data_script();      // view_data.js
std::string_view viewer_camera_script();  // viewer_camera.js
std::string_view viewer_gl_script();      // viewer_gl.js
std::string_view viewer_plain_script();   // viewer_plain.js
std::string_view viewer_script();         // viewer.js
std::string_view viewer_page_script();    // viewer_page.js
std::string_view site_script();           // site.js

}  // namespace aqbench
