# frozen_string_literal: true

require "capybara/cuprite"

# A Chromium, driven by cuprite, with what a page can do wrong in it: errors, what the policy forbade,
# requests to other hosts, scrolling sideways, and whatever axe finds.
class Chromium
  AXE = File.read(File.join(Gem::Specification.find_by_name("axe-core-api").gem_dir,
    "node_modules/axe-core/axe.min.js"))
  # Style sheets are not fetched once more: the policy would forbid it to a script of ours.
  RUN_AXE = <<~JS
    const done = arguments[0];
    const said = (rule, node) => `${rule.id}: ${node.target} ${node.failureSummary}`;
    axe.run(document, { resultTypes: ["violations"], preload: false })
      .then((found) => done(found.violations.flatMap((rule) => rule.nodes.map((node) => said(rule, node)))))
      .catch((error) => done([`axe failed: ${error}`]));
  JS
  WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
  # In a sandbox of its own wherever it may make one; root may not.
  FLAGS = Process.uid.zero? ? {"no-sandbox": nil} : {}
  # A machine that is busy with other tests takes its time.
  PATIENCE_S = 180
  HEIGHT = 900

  attr_reader :session

  def initialize
    Capybara.register_driver(:chromium) do |app|
      Capybara::Cuprite::Driver.new(
        app,
        timeout: PATIENCE_S,
        process_timeout: PATIENCE_S,
        protocol_timeout: PATIENCE_S,
        browser_options: FLAGS
      )
    end
    @session = Capybara::Session.new(:chromium)
    Capybara.default_max_wait_time = PATIENCE_S
  end

  def quit = session.driver.quit

  # @param url [String]
  # @return [void] once all that it asks for is there
  def visit(url)
    session.visit("about:blank") # a page that keeps itself fresh would ask meanwhile
    page.network.clear(:traffic)
    page.console.clear
    session.visit(url)
    settle
  end

  # @return [void] once all that was asked for is there
  def settle
    page.network.wait_for_idle!(timeout: PATIENCE_S)
  end

  # @param theme [String] "light" or "dark"
  def theme(theme)
    page.command("Emulation.setEmulatedMedia", features: [{name: "prefers-color-scheme", value: theme}])
  end

  # @param width [Integer] in pixels
  # @param height [Integer]
  def size(width, height = HEIGHT)
    page.command("Emulation.setDeviceMetricsOverride", width:, height:, deviceScaleFactor: 1, mobile: false)
  end

  # @param allowed [Boolean] whether pages may run scripts from now on
  def scripts(allowed)
    page.command("Emulation.setScriptExecutionDisabled", value: !allowed)
  end

  # @return [Array<String>] what the browser complained of and what was asked of others, since the page was
  #   visited
  def faults = complaints + strangers

  # @return [Integer] pixels by which the page is wider than its window
  def overhang = page.evaluate(WIDER)

  # @return [Array<String>] what axe finds
  def barriers
    load_axe
    session.evaluate_async_script(RUN_AXE)
  end

  # @param path [String] of a PNG
  # @param options of Ferrum::Page#screenshot
  def picture(path, **options)
    page.screenshot(path:, **options)
  end

  private

  def page = session.driver.browser.page

  # Ferrum would read a script that it is to execute first, and takes a second of Ruby for one of this size.
  def load_axe
    return if page.evaluate("typeof axe === 'object'")
    page.command("Runtime.evaluate", expression: AXE)
  end

  def complaints = page.console.to_a.map(&:inspect)

  def strangers
    own = URI.join(session.current_url, "/").to_s
    page.network.traffic.filter_map { |exchange| exchange.request&.url }.reject { |url|
      url.start_with?(own,
        "data:")
    }.map { |url|
      "a request to #{url}"
    }
  end
end
