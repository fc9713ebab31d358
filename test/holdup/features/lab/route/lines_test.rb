# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Lab::Route::LinesTest < Minitest::Test
  include TemporaryFolder

  def routes(*lines) = Holdup::Lab::Route::Lines.routes(lines)

  def test_a_path_with_a_verb_and_a_weight_if_need_be
    found = routes("/orders", "10 GET /products?page=2", "  POST /carts/7  # full", "# nothing", "",
      "0.5 /orders")
    assert_equal [["GET /orders", 1.5], ["GET /products?page=2", 10.0], ["POST /carts/7", 1.0]],
      found.map { |route| [route.label, route.weight] }
    assert_equal %w[GET GET POST], found.map(&:verb)
  end

  def test_rejects_a_line_that_is_not_a_request
    assert_match(/"orders" is not a request; write a path such as/,
      assert_raises(Holdup::UsageError) { routes("orders") }.message)
    assert_match(/no request to send is given; name a path with --url/,
      assert_raises(Holdup::UsageError) { routes("# none") }.message)
  end

  def test_reads_a_file
    path = File.join(folder, "requests")
    File.write(path, "/a\n2 /b\n")
    assert_equal ["/a", "2 /b"], Holdup::Lab::Route::Lines.read(path)
    assert_match(/can't be read/,
      assert_raises(Holdup::UsageError) { Holdup::Lab::Route::Lines.read("#{path}.none") }.message)
  end
end
