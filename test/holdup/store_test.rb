# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::StoreTest < Minitest::Test
  include TemporaryFolder

  def test_a_url_a_plain_path_and_memory_open_a_store
    {"sqlite://#{folder}/a.sqlite3" => "#{folder}/a.sqlite3", "#{folder}/b.sqlite3" => "#{folder}/b.sqlite3",
     "memory:" => "memory:"}.each do |url, location|
      store = Holdup::Store.open(url)

      assert_equal location, store.health[:location]
      store.close
    end
  end

  def test_opens_no_file_before_its_first_use
    Holdup::Store.open("#{folder}/a.sqlite3")

    assert_empty Dir.children(folder)
  end

  def test_an_unknown_scheme_lists_the_known_and_hides_the_password
    url = "oracle://bob:secret@host/db"
    error = assert_raises(Holdup::StoreError::UnknownScheme) { Holdup::Store.open(url) }

    assert_match(/oracle:.*sqlite:.*memory:/, error.message)
    refute_match(/secret/, error.message)
  end

  def test_an_address_with_a_scheme_is_never_a_file
    %w[POSTGRES://host/db Sqlite:///a.sqlite3 my_sql://host/db postgres-ha://host/db].each do |url|
      assert_raises(Holdup::StoreError::UnknownScheme, url) { Holdup::Store.open(url) }
      refute Holdup::Store.file?(url), url
    end
    ["/srv/a.sqlite3", "a:b.sqlite3", "A:b.sqlite3", "C://a.sqlite3", "./x/Y:z"].each do |path|
      assert Holdup::Store.file?(path), path
    end
  end

  # Also where it has characters that a URL should encode.
  def test_messages_show_no_part_of_a_password
    ["postgres://me:QQ/QQ@db/x", "postgres://me:QQ@QQ@db/x", "mysql2://me:QQ:QQ?@db/x",
      "postgres://me:QQ\nQQ@db/x", "postgres:///x?sslmode=require&sslpassword=QQ&user=me",
      "clickhouse://db:8123/x?PASSWORD=QQ"].each do |url|
      shown = Holdup::Store.redact(url)
      refute_includes shown, "QQ", url
      assert_includes shown, "***", url
    end
    assert_equal "postgres://db:5432/x?sslmode=require",
      Holdup::Store.redact("postgres://db:5432/x?sslmode=require")
  end

  def test_the_default_is_the_variable_then_the_state_folder_then_the_home_folder
    assert_equal "memory:", Holdup::Store.default_url({"HOLDUP_STORE" => "memory:"}, home: "/h")
    assert_equal "sqlite:///s/holdup/holdup.sqlite3",
      Holdup::Store.default_url({"HOLDUP_STORE" => "", "XDG_STATE_HOME" => "/s"}, home: "/h")
    assert_equal "sqlite:///h/.local/state/holdup/holdup.sqlite3", Holdup::Store.default_url({}, home: "/h")
  end

  def test_without_a_home_folder_it_asks_for_a_place
    error = assert_raises(Holdup::StoreError::NoHome) { Holdup::Store.default_url({}, home: nil) }
    assert_match(/this user has no home folder.*; set HOLDUP_STORE .*, or XDG_STATE_HOME to a folder/,
      error.message)
    assert_equal "sqlite:///s/holdup/holdup.sqlite3",
      Holdup::Store.default_url({"XDG_STATE_HOME" => "/s"}, home: nil)
  end

  def test_the_folder_of_captures
    folder = ->(url, home = "/h") { Holdup::Store.captures_dir(url, {}, home:) }
    ["/s/store.sqlite3", "sqlite:///s/store.sqlite3"].each do |url|
      assert_equal "/s/captures", folder.call(url, nil)
    end
    assert_equal "/h/.local/state/holdup/captures", folder.call("postgres://host/db")
    assert_nil folder.call("postgres://host/db", nil)
    assert_nil folder.call("~nobody-has-this-name/store.sqlite3")
  end

  def test_the_home_folder_is_that_of_the_environment_else_of_the_user
    assert_equal "/h", Holdup::Store.home({"HOME" => "/h"})
    assert_equal Etc.getpwuid.dir, Holdup::Store.home({"HOME" => ""})
    assert_equal Etc.getpwuid.dir, Holdup::Store.home({})
  end
end
