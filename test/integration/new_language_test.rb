# frozen_string_literal: true

require "test_helper"
require "fileutils"
require "open3"
require "rbconfig"
require "tmpdir"
require "yaml"

# A language is one file in each folder of locales: nothing in Ruby names a language.
class NewLanguageTest < Minitest::Test
  ROOT = File.expand_path("../..", __dir__)
  # The dashboard's first page and a refused question, as a browser gets them.
  PAGES = <<~RUBY
    require "holdup/loader"
    require "rack/mock"
    web = Holdup::Web.new(store: -> { Holdup::Store.open("memory:") }, dir: "/nonexistent", auth: :none)
    browser = Rack::MockRequest.new(web)
    puts browser.get("/", "HTTP_ACCEPT_LANGUAGE" => "fr, eo;q=0.9, en;q=0.5").body
    puts "----", browser.get("/?lang=ja").body
    puts "----", browser.get("/?lang=eo&since=x").body
  RUBY

  def setup
    @folder = Dir.mktmpdir("holdup-language")
    FileUtils.cp_r(["#{ROOT}/lib", "#{ROOT}/exe"], @folder)
    folders = Dir["#{@folder}/lib/**/locales"]
    refute_empty folders
    folders.each { |folder| translate(folder) }
  end

  def teardown
    FileUtils.rm_rf(@folder)
  end

  def test_the_command_line_speaks_it
    asked = holdup("calculate", "--running", "12ms", "--idle", "30ms", "--lang", "eo")
    assert_match(/\Aeo:\S/, asked)
    assert_equal asked, holdup("calculate", "--running", "12ms", "--idle", "30ms", "LC_ALL" => "eo_EO.UTF-8")
    assert_match(/--lang LANG +en or eo or ja/, holdup("report", "--help"))
  end

  def test_the_dashboard_speaks_it
    own, japanese, refused = ruby("-e", PAGES).split("----\n")
    assert_includes own, %(<html lang="eo")
    assert_match(/<h1>\s*eo:/, own)
    assert_match(%r{hreflang="eo" lang="eo">Esperanto</a>}, japanese)
    assert_match(/<p>eo:it takes a time ago/, refused)
  end

  private

  # Each sentence of English with a mark.
  def translate(folder)
    files = Dir["#{folder}/{en.yml,en/*.yml}"]
    texts = files.map { |file| YAML.load_file(file).fetch("en") }.inject({}, :merge)
    File.write("#{folder}/eo.yml", YAML.dump("eo" => marked(texts)))
  end

  def marked(texts)
    texts.to_h do |key, text|
      text = "eo:#{text}" if text.is_a?(String) && text.match?(/\A[\p{L}%]/) && !key.start_with?("unit_")
      text = marked(text) if text.is_a?(Hash)
      [key, (key == "language_name") ? "Esperanto" : text]
    end
  end

  def holdup(*arguments, **environment)
    ruby("#{@folder}/exe/holdup", *arguments, **environment)
  end

  def ruby(*arguments, **environment)
    environment = {"HOME" => @folder, "LC_ALL" => "C.UTF-8", "COLUMNS" => "100"}.merge(environment)
    output, status = Open3.capture2e(environment, RbConfig.ruby, "-I#{@folder}/lib", *arguments)
    assert_predicate status, :success?, output
    output
  end
end
