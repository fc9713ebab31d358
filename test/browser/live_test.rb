# frozen_string_literal: true

require "test_helper"
require_relative "looking"

# A page that refreshes itself. The test decides what its server answers.
class LiveTest < Minitest::Test
  include Looking

  # Says again and again that it is another answer, or fails.
  class Changing
    attr_accessor :failing
    attr_reader :answers

    def initialize(app)
      @app = app
      @answers = 0
    end

    def call(env)
      return @app.call(env) unless env["PATH_INFO"] == "/"
      return [500, {}, ["broken"]] if failing
      status, headers, body = @app.call(env)
      @answers += 1
      [status, headers.except("content-length"), [body.each.to_a.join.sub("</h1>", " #{@answers}</h1>")]]
    end
  end

  def setup
    @recorded = Recorded.new
    @dashboard = ServedDashboard.new(store: @recorded.store, now_s: @recorded.now_s,
      around: ->(app) { @changing = Changing.new(app) })
    look("/", dashboard: @dashboard, lang: "en")
  end

  def teardown
    @dashboard.stop
    @recorded.remove
  end

  # Going on refreshes at once.
  def refresh
    page.click_button("Pause")
    page.click_button("Resume")
  end

  # It refreshes itself too, so on a slow machine there may be more answers than the test asks for.
  # @param answers [Integer]
  # @return [Boolean] whether it comes to show a later one than these
  def shows_later_than?(answers)
    page.has_css?("h1", text: /Overview \d/) { |title| title.text[/\d+/].to_i > answers }
  end

  def hide(hidden)
    page.execute_script(<<~JS)
      Object.defineProperty(document, 'hidden', {value: #{hidden}, configurable: true});
      document.dispatchEvent(new Event('visibilitychange'))
    JS
  end

  def test_what_one_has_open_and_where_one_is_stays
    page.find("details.twin summary").click
    page.execute_script(<<~JS)
      window.drawn = document.querySelector('canvas');
      document.querySelectorAll('.plot')[0].focus()
    JS
    before = @changing.answers
    button = "document.querySelector('[data-live] button')"
    page.execute_script("#{button}.click(); #{button}.click()")
    assert shows_later_than?(before)
    assert page.has_css?("details.twin[open] table")
    focused = "document.activeElement === document.querySelectorAll('.plot')[0]"
    assert page.evaluate_script("drawn.isConnected && #{focused}")
  end

  # The cursor of all charts, a part that was chosen by keys, the fold, and how far one has scrolled.
  def test_the_cursor_and_the_place_stay
    page.find(".fold > summary").click
    assert page.has_css?(".fold[open] canvas")
    page.driver.browser.mouse.move(x: 1, y: 1) # where no chart comes under it
    page.execute_script("scrollTo(0, 150)")
    plot = page.first(".plot[data-moment]:has(canvas)")
    plot.execute_script("this.focus({ preventScroll: true })")
    plot.send_keys(:end, :left, %i[shift left])
    assert page.has_css?(".plot.asked .where")
    place = "[scrollY, document.querySelector('.plot.asked .where').textContent, " \
      "document.querySelector('.plot.asked .u-select').style.width]"
    before = page.evaluate_script(place)
    answers = @changing.answers
    button = "document.querySelector('[data-live] button')"
    page.execute_script("#{button}.click(); #{button}.click()")
    assert shows_later_than?(answers)
    assert_equal before, page.evaluate_script(place)
    assert page.has_css?(".fold[open] canvas")
  end

  def test_a_failed_refresh_is_shown_until_one_succeeds
    @changing.failing = true
    refresh
    assert page.has_css?("[data-live] [role=status]",
      text: "The last refresh failed; the page tries again by itself. (500")
    before = @changing.answers
    @changing.failing = false
    refresh
    assert shows_later_than?(before)
    assert page.has_css?("[data-live] [role=status]", exact_text: "", visible: :all)
  end

  def test_a_hidden_page_does_not_refresh
    hide(true)
    chromium.settle
    before = @changing.answers
    refresh
    chromium.settle
    assert_equal before, @changing.answers
    hide(false)
    assert shows_later_than?(before)
  end
end
