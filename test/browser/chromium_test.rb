# frozen_string_literal: true

require "test_helper"
require_relative "looking"

# What the other tests of this folder rely on: a page that does everything wrong is caught.
class ChromiumTest < Minitest::Test
  include Looking

  WRONG = '<script>document.title = "inline"</script><img src="https://elsewhere.invalid/pixel.png">' \
    '<svg width="5000" height="10"></svg></main>'

  def spoilt(web)
    lambda do |env|
      status, headers, body = web.call(env)
      [status, headers.except("content-length"), body.map { |text| text.sub("</main>", WRONG) }]
    end
  end

  def test_faults_are_seen
    recorded = Recorded.new
    dashboard = ServedDashboard.new(store: recorded.store, now_s: recorded.now_s, around: method(:spoilt))
    chromium.size(1280)
    look("/calculator", dashboard:)
    assert_includes chromium.faults.join("\n"), "Content Security Policy"
    assert_includes chromium.faults.join("\n"), "elsewhere.invalid"
    assert_includes chromium.barriers.join("\n"), "image-alt"
    assert_operator chromium.overhang, :>, 3000
  ensure
    dashboard&.stop
    recorded&.remove
  end
end
