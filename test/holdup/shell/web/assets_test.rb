# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Web::AssetsTest < Minitest::Test
  ROOT = File.expand_path("../../../..", __dir__)

  def test_names_tell_what_is_inside
    assets = Holdup::Web::Assets.new
    assert_match(/\Aholdup-\h{12}\.css\z/, assets.name("holdup.css"))
    assert_equal ["image/svg+xml", File.read("#{Holdup::Web::Assets::DIR}/mark.svg")],
      assets[assets.name("mark.svg")].to_h.values
    assert_nil assets["holdup.css"]
  end

  def test_the_gem_brings_all_of_them
    packed = Dir.chdir(ROOT) { Gem::Specification.load("holdup.gemspec").files }
    shown = Dir.chdir(ROOT) do
      Dir["lib/holdup/shell/{web,view/html}/**/*"].select { |file| File.file?(file) }
    end
    refute_empty shown.grep(/erb\z/)
    assert_empty shown - packed
  end
end
