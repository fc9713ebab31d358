# frozen_string_literal: true

require "test_helper"
require "fuzz/fuzzing"
require "holdup/loader"

# Every parameter of every page, with anything in it: a page, or an error that says what to do; never a
# failure of ours, and nothing of a parameter comes out as markup.
class DashboardFuzzTest < Minitest::Test
  include Fuzzing
  include Dashboard

  PARAMETERS = %w[since until app host role revision kind name queue threads lang theme limit least sort unit
    acquisitions asked computed dir from_ns id idle in io mode running whole by before after].freeze
  VALID = {
    "since" => %w[15m 1h 24h 30d], "until" => %w[1m 10m], "lang" => %w[en ja], "kind" => %w[request job],
    "threads" => %w[1 5], "unit" => ["OrdersController#show"], "limit" => %w[1 50], "theme" => %w[dark light]
  }.freeze
  MARK = "<fuzz"
  ANSWERS = [200, 202, 302, 303, 304, 400, 404, 405, 413, 414, 422, 503].freeze

  def test_every_page_is_among_them
    assert_operator paths.size, :>, 15
  end

  one_ruby repeated def test_any_parameters_get_a_page_or_an_error_that_says_what_to_do
    outcomes = fuzz(150, thorough: 3_000) do |input|
      status, type, body = answer(input.one_of(paths), query(input))
      assert_includes ANSWERS, status
      assert_predicate body.force_encoding("UTF-8"), :valid_encoding?
      refute_includes body, MARK if type.include?("html")
      (status == 200) ? :page : :refused
    end
    assert_operator outcomes[:page], :>, 0
    assert_operator outcomes[:refused], :>, 0
  end

  private

  def paths
    pages = Holdup::Web::Pages::ALL.keys
    @paths ||= pages.flat_map { |name| ["/#{name}", "/#{name}.json", "/series/#{name}"] } +
      %w[/captures/1-2/json /captures/x/chrome /metrics /scale.json]
  end

  # Past what checks addresses on the side of the client.
  def answer(path, query)
    status, headers, body = app.call(Rack::MockRequest.env_for(path).merge("QUERY_STRING" => query))
    text = +""
    body.each { |part| text << part }
    [status, headers["content-type"].to_s, text]
  ensure
    body.close if body.respond_to?(:close)
  end

  def query(input)
    Array.new(input.random.rand(5)) do
      name = input.chance?(0.95) ? input.one_of(PARAMETERS) : input.text.b
      name += input.one_of(["[]", "[a]", "[a][b]"]) if input.chance?(0.05)
      "#{escape(input, name)}=#{escape(input, value(input, name))}"
    end.join("&")
  end

  def value(input, name)
    return input.one_of(VALID.fetch(name)) if VALID.key?(name) && input.chance?(0.5)
    input.chance?(0.1) ? "#{MARK}>" : input.text
  end

  # Clients that do not escape are among them, as far as a server passes them on.
  def escape(input, text)
    return text if input.chance?(0.02) && text.b.match?(/\A[!-~]*\z/n)
    text.b.gsub(/[^\w.-]/n) { |byte| format("%%%02X", byte.ord) }
  end
end
